// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Scenarios of channels and select: each value that is sent is received once, and none who waits is
// forgotten.
#include <chrono>
#include <optional>
#include <thread>

#include <hocket/hocket.hpp>

#include "own_page.hpp"
#include "scenario.hpp"

namespace explorer {
namespace {
using namespace hocket;
using namespace std::chrono_literals;

const options one_worker{.workers = 1, .pin = false, .spin = 1, .max_threads = 1};
const options two_workers{.workers = 2, .pin = false, .spin = 1, .max_threads = 2};

/// What has come out of channels.
struct received {
  int values = 0, sum = 0;
  void note(const std::optional<int>& v) {
    check(v.has_value(), "a value is received while the channel is open");
    check(*v > 0, "what is received is what was sent");
    ++values;
    sum += *v;
  }
  void note_if(const std::optional<int>& v) {
    if (v) note(v);
  }
};

/// Two threads send, a thread and the main task receive.
template <int Capacity>
void channel_threads() {
  received r;
  run(one_worker, [&] {
    channel<int> c(Capacity);
    counts_from_here();
    std::thread one([&] { c.send(1), c.send(2); }), two([&] { c.send(4); });
    std::thread receives([&] { r.note(c.receive()); });
    auto sends = start([&] { c.send(8); });
    for (int i = 0; i < 3; ++i) r.note(c.receive());
    sends.wait();
    one.join();
    two.join();
    receives.join();
    check(c.size() == 0, "no value is left");
  });
  check(r.values == 4 && r.sum == 15, "each value is received once");
}

/// Tasks on two workers, one of which sends; the order is kept.
template <int Capacity>
void channel_two_workers() {
  run(two_workers, [] {
    channel<int> c(Capacity);
    counts_from_here();
    auto sends = start([&] {
      for (int i = 1; i <= 3; ++i) c.send(i);
    });
    for (int i = 1; i <= 3; ++i) check(c.receive() == i, "the values come in their order");
    sends.wait();
  });
}

/// All give up after a while: what was sent and not received is left.
template <int Capacity>
void channel_limit() {
  received r;
  run(one_worker, [&] {
    channel<int> c(Capacity);
    int sent = 0;
    counts_from_here();
    std::thread sends([&] { sent += c.send_for(1, 1us) ? 1 : 0; });
    std::thread receives([&] { r.note_if(c.receive_for(1us)); });
    auto task_receives = start([&] { r.note_if(c.receive_for(1us)); });
    sent += c.send_for(2, 1us) ? 2 : 0;
    task_receives.wait();
    sends.join();
    receives.join();
    while (const auto v = c.try_receive()) r.note(v);
    check(sent == r.sum, "a value that was sent is received or left, any other is not");
  });
}

/// The last who sends closes: all values come out, and all who receive come to an end.
void channel_closes() {
  received r;
  run(one_worker, [&] {
    channel<int> c(1);
    int senders = 2;
    const auto sends = [&] {
      c.send(1);
      if (--senders == 0) c.close();
    };
    const auto receives = [&] {
      for (const int v : c) r.note(v);
    };
    counts_from_here();
    std::thread thread_sends(sends), thread_receives(receives);
    auto task_sends = start(sends);
    receives();
    task_sends.wait();
    thread_sends.join();
    thread_receives.join();
  });
  check(r.values == 2, "each value is received once");
}

/// Channels that end with who waited there: one who received, and one who sent.
void channel_ends() {
  run(one_worker, [] {
    own_page<channel<int>> empty(1u), full(1u);
    full->send(1);
    counts_from_here();
    std::thread sends([&] { empty->send(1); });
    std::thread waits_to_send([&] {
      full->send(2);
      full.end();
    });
    auto receives = start([&] {
      check(empty->receive() == 1, "the value is received");
      empty.end();
    });
    check(full->receive() == 1, "the oldest value is received");
    receives.wait();
    sends.join();
    waits_to_send.join();
  });
}

/// A task and a thread receive from any of two channels, into which others send.
template <int Capacity>
void select_threads() {
  received r;
  run(one_worker, [&] {
    channel<int> a(Capacity), b(Capacity);
    const auto note = [&](const std::optional<int>& v) { r.note(v); };
    const auto receives = [&] { select(receive_from(a, note), receive_from(b, note)); };
    counts_from_here();
    std::thread thread_receives(receives), sends([&] { a.send(1); });
    auto task_receives = start(receives);
    b.send(2);
    task_receives.wait();
    thread_receives.join();
    sends.join();
  });
  check(r.values == 2 && r.sum == 3, "each value is received once");
}

/// Two selects, of which each would send to the other or receive from it: one case of each happens.
void select_meets_select() {
  received of_a, of_b;
  int sent_a = 0, sent_b = 0;
  run(two_workers, [&] {
    channel<int> a(0), b(0);
    counts_from_here();
    std::thread one(
        [&] { select(send_to(a, 1, [&] { ++sent_a; }), receive_from(b, [&](auto v) { of_b.note(v); })); });
    select(send_to(b, 2, [&] { ++sent_b; }), receive_from(a, [&](auto v) { of_a.note(v); }));
    one.join();
  });
  check(sent_a == of_a.values && sent_b == of_b.values, "a value is sent if it is received");
  check(sent_a + sent_b == 1, "one case happens");
}

/// All give up after a while: what was sent and not received is left.
void select_limit() {
  received r;
  run(one_worker, [&] {
    channel<int> a(0), b(1);
    int sent = 0;
    const auto note = [&](const std::optional<int>& v) { r.note(v); };
    const auto receives = [&] { select(receive_from(a, note), receive_from(b, note), after(1us)); };
    counts_from_here();
    std::thread thread_receives(receives);
    std::thread sends([&] { sent += a.send_for(1, 1us) ? 1 : 0; });
    auto task_receives = start(receives);
    select(send_to(a, 4, [&] { sent += 4; }), send_to(b, 2, [&] { sent += 2; }), after(1us));
    task_receives.wait();
    thread_receives.join();
    sends.join();
    r.note_if(b.try_receive());
    check(sent == r.sum, "a value that was sent is received or left, any other is not");
  });
}

/// The channels end with the select that waited for them.
void select_ends() {
  run(one_worker, [] {
    own_page<channel<int>> a(1u), b(1u);
    received r;
    const auto note = [&](const std::optional<int>& v) { r.note(v); };
    counts_from_here();
    std::thread one([&] { a->send(1); }), two([&] { b->send(2); });
    for (int i = 0; i < 2; ++i) select(receive_from(*a, note), receive_from(*b, note));
    check(r.sum == 3, "each value is received once");
    a.end();
    b.end();
    one.join();
    two.join();
  });
}

}  // namespace

scenarios channel_scenarios() {
  return {{"channel_threads", "a channel between tasks and threads", channel_threads<1>},
          {"channel_meeting", "the same without room for a value", channel_threads<0>},
          {"channel_two_workers", "a channel between two workers", channel_two_workers<1>},
          {"channel_meeting_two_workers", "the same without room for a value", channel_two_workers<0>},
          {"channel_limit", "a channel, all give up after a while", channel_limit<1>},
          {"channel_meeting_limit", "the same without room for a value", channel_limit<0>},
          {"channel_closes", "a channel that is closed", channel_closes},
          {"channel_ends", "channels that end with who waited", channel_ends},
          {"select_threads", "two selects of two channels", select_threads<1>},
          {"select_meeting", "the same without room for a value", select_threads<0>},
          {"select_meets_select", "a select against another", select_meets_select},
          {"select_limit", "selects, all give up after a while", select_limit},
          {"select_ends", "channels that end with the select that waited", select_ends}};
}

}  // namespace explorer

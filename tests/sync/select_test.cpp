// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// select: exactly one case is done, whoever comes from the other side; none starves; what time limits,
// requests to stop and closing meet is neither lost nor doubled.
#include "context/death_style.hpp"
#include "support/errors.hpp"
#include "support/everywhere.hpp"
#include "support/workers.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <thread>
#include <vector>

namespace {
using namespace hocket;
using namespace std::chrono_literals;
using hocket_test::code_of;
using hocket_test::sized;

class select_test : public hocket_test::on_workers {};
HOCKET_ON_ALL_WORKERS(select_test);

const auto ignored = [](std::optional<int>) {};
const auto not_run = [](auto...) { ADD_FAILURE() << "a case was run that was not chosen"; };

TEST_P(select_test, does_the_case_that_can_be_done) {
  run([] {
    hocket_test::everywhere([] {
      channel<int> a(1), b(1);
      int got = 0, sent = 0;
      const auto once = [&] {
        return hocket::select(receive_from(a, [&](std::optional<int> v) { got = v.value_or(-1); }),
                              send_to(b, 7, [&] { ++sent; }));
      };
      EXPECT_EQ(once(), 1u);
      EXPECT_EQ(sent, 1);
      a.send(5);
      EXPECT_EQ(once(), 0u);
      EXPECT_EQ(got, 5);
      EXPECT_EQ(sent, 1);
      EXPECT_EQ(a.size(), 0u);
      EXPECT_EQ(b.receive(), 7);
    });
  });
}

TEST_P(select_test, otherwise_and_after) {
  run([] {
    hocket_test::everywhere([] {
      channel<int> empty(1), full(0);
      int otherwise_run = 0, late = 0;
      EXPECT_EQ(hocket::select(receive_from(empty, not_run), otherwise([&] { ++otherwise_run; }),
                               send_to(full, 1, not_run)),
                1u);
      EXPECT_EQ(hocket::select(after(1us, [&] { ++late; }), receive_from(empty, not_run),
                               send_to(full, 1, not_run)),
                0u);
      EXPECT_EQ(hocket::select(receive_from(empty, not_run), after(0s)), 1u);
      EXPECT_EQ(hocket::select(receive_from(empty, not_run), after(-1h)), 1u);
      EXPECT_EQ(hocket::select(otherwise()), 0u);
      EXPECT_EQ(hocket::select(after(1us, [&] { ++late; })), 0u);
      empty.send(3);
      EXPECT_EQ(hocket::select(otherwise(not_run), receive_from(empty, ignored)), 1u);
      empty.send(3);
      EXPECT_EQ(hocket::select(after(0s, not_run), receive_from(empty, ignored)), 1u);
      empty.send(3);
      EXPECT_EQ(hocket::select(after(24h, not_run), receive_from(empty, ignored)), 1u);
      EXPECT_EQ(otherwise_run, 1);
      EXPECT_EQ(late, 2);
    });
  });
}

TEST_P(select_test, what_the_case_throws_comes_out) {
  run([] {
    channel<int> c(1);
    c.send(1);
    EXPECT_EQ(hocket_test::thrown_by([&] {
                hocket::select(receive_from(c, [](std::optional<int>) { throw std::runtime_error("no"); }));
              }),
              "no");
    EXPECT_EQ(c.size(), 0u);
  });
}

TEST_P(select_test, none_starves) {
  run([] {
    constexpr std::size_t n = 5;
    std::array<channel<int>, n> all{channel<int>(1), channel<int>(1), channel<int>(1), channel<int>(1),
                                    channel<int>(1)};
    std::array<int, n> chosen{};
    for (auto& c : all) c.send(0);
    for (int i = 0; i < 5000; ++i) {
      const std::size_t k = hocket::select(receive_from(all[0], ignored), receive_from(all[1], ignored),
                                           receive_from(all[2], ignored), receive_from(all[3], ignored),
                                           receive_from(all[4], ignored));
      ++chosen[k];
      all[k].send(i);
    }
    for (const int times : chosen) EXPECT_GT(times, 500) << "of 5000, where 1000 are its share";
  });
}

TEST_P(select_test, nor_where_two_take_turns) {
  run([] {
    channel<int> a(1), b(1), turn(0), back(0);
    std::array<int, 2> first{}, second{};
    a.send(0), b.send(0);
    const auto once = [&](std::array<int, 2>& chosen) {
      const std::size_t k = hocket::select(receive_from(a, ignored), receive_from(b, ignored));
      ++chosen[k];
      (k == 0 ? a : b).send(0);
    };
    auto other = start([&] {
      for (const int v : turn) once(second), back.send(v);
    });
    for (int i = 0; i < 1000; ++i) once(first), turn.send(i), back.receive();
    turn.close();
    other.wait();
    for (const auto& chosen : {first, second}) EXPECT_GT(std::min(chosen[0], chosen[1]), 250);
  });
}

/// A select of six cases that waits is let go by the k-th.
std::size_t wait_with_six(std::array<std::unique_ptr<channel<int>>, 3>& in,
                          std::array<std::unique_ptr<channel<int>>, 3>& out, int& got) {
  const auto take = [&](std::optional<int> v) { got = v.value_or(-1); };
  return hocket::select(receive_from(*in[0], take), receive_from(*in[1], take), receive_from(*in[2], take),
                        send_to(*out[0], 10), send_to(*out[1], 11), send_to(*out[2], 12));
}

TEST_P(select_test, waits_for_the_first_of_all) {
  run([] {
    for (const std::size_t capacity : {0, 1}) {
      for (std::size_t k = 0; k < 6; ++k) {
        std::array<std::unique_ptr<channel<int>>, 3> in, out;
        for (std::size_t i = 0; i < 3; ++i) {
          in[i] = std::make_unique<channel<int>>(capacity);
          out[i] = std::make_unique<channel<int>>(capacity);
          if (capacity != 0) out[i]->send(-5);
        }
        hocket_test::everywhere([&] {
          int got = 0;
          std::atomic<bool> over{false};
          auto other = start([&] {
            if (k < 3) {
              in[k]->send(static_cast<int>(k) + 20);
            } else {
              EXPECT_EQ(out[k - 3]->receive(), capacity == 0 ? static_cast<int>(k) + 7 : -5);
            }
            over = true;
          });
          EXPECT_EQ(wait_with_six(in, out, got), k);
          other.wait();
          EXPECT_TRUE(over);
          if (k < 3) {
            EXPECT_EQ(got, static_cast<int>(k) + 20);
          } else if (capacity != 0) {
            EXPECT_EQ(out[k - 3]->receive(), static_cast<int>(k) + 7);
            out[k - 3]->send(-5);
          }
          for (auto& c : in) EXPECT_FALSE(c->try_receive());
        });
      }
    }
  });
}

TEST_P(select_test, a_value_is_moved_from_only_if_it_is_sent) {
  run([] {
    channel<std::unique_ptr<int>> to(0);
    channel<int> stop(0);
    auto value = std::make_unique<int>(9);
    EXPECT_EQ(hocket::select(send_to(to, std::move(value), not_run), otherwise()), 1u);
    ASSERT_NE(value, nullptr);
    EXPECT_EQ(hocket::select(send_to(to, std::move(value), not_run), after(1us)), 1u);
    ASSERT_NE(value, nullptr);
    auto other = start([&] { return *to.receive().value(); });
    EXPECT_EQ(hocket::select(receive_from(stop, not_run), send_to(to, std::move(value))), 1u);
    EXPECT_EQ(value, nullptr);
    EXPECT_EQ(other.get(), 9);
    channel<std::string> text(2);
    const std::string kept(50, 'k');
    EXPECT_EQ(hocket::select(send_to(text, kept)), 0u);
    EXPECT_EQ(hocket::select(send_to(text, "converted")), 0u);
    EXPECT_EQ(text.receive(), kept);
    EXPECT_EQ(text.receive(), "converted");
  });
}

TEST_P(select_test, closed_channels) {
  run([] {
    hocket_test::everywhere([] {
      channel<int> closed(1), open(1);
      closed.send(4);
      closed.close();
      std::optional<int> got;
      const auto take = [&](std::optional<int> v) { got = v; };
      EXPECT_EQ(hocket::select(receive_from(open, not_run), receive_from(closed, take)), 1u);
      EXPECT_EQ(got, 4);
      EXPECT_EQ(hocket::select(receive_from(open, not_run), receive_from(closed, take)), 1u);
      EXPECT_FALSE(got);
      EXPECT_EQ(code_of([&] { hocket::select(receive_from(open, not_run), send_to(closed, 1, not_run)); }),
                errc::closed);
    });
    // While it waits.
    for (int i = 0; i < 100; ++i) {
      channel<int> a(0), b(0);
      auto receiver = start([&] {
        std::optional<int> got = 1;
        EXPECT_EQ(
            hocket::select(receive_from(a, not_run), receive_from(b, [&](std::optional<int> v) { got = v; })),
            1u);
        EXPECT_FALSE(got);
      });
      receiver.wait_for(i % 2 == 0 ? 0us : 20us);
      b.close();
      receiver.wait();
      channel<int> d(0);
      auto sender = start([&] {
        EXPECT_EQ(code_of([&] { hocket::select(receive_from(a, not_run), send_to(d, 1, not_run)); }),
                  errc::closed);
      });
      sender.wait_for(i % 2 == 0 ? 0us : 20us);
      d.close();
      sender.wait();
    }
  });
}

TEST_P(select_test, never_meets_itself) {
  run([] {
    channel<int> c(0), full(1);
    EXPECT_EQ(hocket::select(send_to(c, 1, not_run), receive_from(c, not_run), send_to(c, 2, not_run),
                             receive_from(c, not_run), after(10us), send_to(c, 3, not_run)),
              4u);
    // What the ring allows, it does.
    EXPECT_EQ(hocket::select(receive_from(full, not_run), send_to(full, 1)), 1u);
    EXPECT_EQ(hocket::select(receive_from(full, ignored), send_to(full, 1, not_run)), 0u);
  });
}

TEST_P(select_test, two_of_them_meet) {
  run([] {
    for (int i = 0; i < sized(1000, 200); ++i) {
      channel<int> a(0), b(0);
      int left = 0, right = 0;
      auto other = start([&] {
        return hocket::select(send_to(a, 1), receive_from(b, [&](std::optional<int> v) { right = *v; }));
      });
      const std::size_t k =
          hocket::select(receive_from(a, [&](std::optional<int> v) { left = *v; }), send_to(b, 2));
      EXPECT_EQ(other.get(), k);  // the same channel on both sides
      EXPECT_EQ(left, k == 0 ? 1 : 0);
      EXPECT_EQ(right, k == 1 ? 2 : 0);
    }
    // On one channel, either may send.
    for (int i = 0; i < sized(1000, 200); ++i) {
      channel<int> c(0);
      int got = 0;
      const auto meet = [&](int mine) {
        return hocket::select(send_to(c, mine), receive_from(c, [&](std::optional<int> v) { got = *v; }));
      };
      auto other = start([&] { return meet(1); });
      const std::size_t k = meet(2);
      EXPECT_NE(other.get(), k);
      EXPECT_EQ(got, k == 0 ? 2 : 1);
    }
  });
}

TEST_P(select_test, outside_a_run_threads_use_it_too) {
  channel<int> a(0), b(0);
  std::thread other([&] {
    for (int i = 0; i < 200; ++i) hocket::select(send_to(a, i), send_to(b, i));
  });
  for (int i = 0; i < 200; ++i) {
    const auto take = [&](std::optional<int> v) { EXPECT_EQ(v, i); };
    hocket::select(receive_from(a, take), receive_from(b, take));
  }
  other.join();
  EXPECT_EQ(hocket::select(receive_from(a, not_run), after(1us)), 1u);
}

TEST_P(select_test, a_wait_ends_when_the_task_is_asked_to_stop) {
  run([] {
    channel<int> a(0), b(0);
    stop_scope scope;
    auto waits = start([&] { hocket::select(receive_from(a, not_run), send_to(b, 1, not_run)); });
    while (tasks_by_state().suspended != 1) this_task::yield();
    scope.request_stop();
    EXPECT_THROW(hocket::select(receive_from(a, not_run)), cancelled);
    EXPECT_EQ(hocket::select(receive_from(a, not_run), otherwise()), 1u);
    const stop_shield shield;
    EXPECT_THROW(waits.get(), cancelled);
    EXPECT_FALSE(a.try_send(1));
    EXPECT_FALSE(b.try_receive());
  });
}

/// What goes into the channels of a stress, and what comes out: how many, and their sum.
struct account {
  std::atomic<long> sent{0}, received{0}, sends{0}, receives{0};
  void out(long v) { sent += v, ++sends; }
  void in(std::optional<long> v) {
    if (v) received += *v, ++receives;
  }
};

using long_channel = channel<long>;

/// One that selects: sends, receives, both, with and without a time limit.
void mix(long_channel& a, long_channel& b, account& sum, unsigned seed, long n) {
  std::mt19937 random(seed);
  const auto take = [&](std::optional<long> v) { sum.in(v); };
  for (long i = 1; i <= n; ++i) {
    const long v = static_cast<long>(seed) * 100000 + i;
    const auto sent = [&] { sum.out(v); };
    const auto limit = std::chrono::microseconds(random() % 30);
    switch (random() % 8) {
      case 0:
        hocket::select(receive_from(a, take), receive_from(b, take), after(limit));
        break;
      case 1:
        hocket::select(send_to(a, v, sent), send_to(b, v, sent), after(limit));
        break;
      case 2:
        hocket::select(receive_from(a, take), send_to(b, v, sent), after(limit));
        break;
      case 3:
        hocket::select(send_to(a, v, sent), receive_from(b, take), after(limit));
        break;
      case 4:
        hocket::select(send_to(a, v, sent), receive_from(a, take), send_to(b, v, sent), receive_from(b, take),
                       receive_from(a, take), after(limit));
        break;
      case 5:
        hocket::select(receive_from(b, take), send_to(a, v, sent), otherwise());
        break;
      case 6:
        if (a.send_for(v, limit)) sent();
        break;
      default:
        sum.in(b.receive_for(limit));
        break;
    }
  }
}

void drain(long_channel& c, account& sum) {
  c.close();
  for (const long v : c) sum.in(v);
}

TEST_P(select_test, two_channels_many_selects) {
  run([] {
    const long n = sized(1500, 200);
    for (const auto& [first, second] : {std::pair<std::size_t, std::size_t>{0, 0}, {0, 3}, {1, 1}}) {
      long_channel a(first), b(second);
      account sum;
      std::vector<task<void>> all;
      for (unsigned k = 1; k <= 6; ++k) all.push_back(start([&, k] { mix(a, b, sum, k, n); }));
      std::thread one([&] { mix(a, b, sum, 10, n); }), two([&] { mix(b, a, sum, 11, n); });
      wait_all(all);
      blocking([&] { one.join(), two.join(); });
      drain(a, sum), drain(b, sum);
      EXPECT_EQ(sum.sends, sum.receives);
      EXPECT_EQ(sum.sent, sum.received);
      EXPECT_GT(sum.sends, 0);
    }
  });
}

TEST_P(select_test, without_time_limits_all_values_arrive) {
  run([] {
    const long n = sized(3000, 300);
    for (const std::size_t capacity : {0, 1, 4}) {
      long_channel a(capacity), b(capacity);
      account sum;
      std::vector<task<void>> senders, receivers;
      for (long k = 0; k < 4; ++k) {
        senders.push_back(start([&, k] {
          for (long i = 0; i < n; ++i) {
            const long v = k * n + i;
            hocket::select(send_to(a, v), send_to(b, v));
            sum.out(v);
          }
        }));
        receivers.push_back(start([&] {
          for (bool open = true; open;) {
            const auto take = [&](std::optional<long> v) { sum.in(v), open = v.has_value(); };
            hocket::select(receive_from(a, take), receive_from(b, take));
          }
        }));
      }
      std::thread also([&] {
        for (long v : a) sum.in(v);
      });
      wait_all(senders);
      a.close();
      blocking([&] { also.join(); });
      b.close();
      wait_all(receivers);
      drain(a, sum), drain(b, sum);
      EXPECT_EQ(sum.sends, 4 * n);
      EXPECT_EQ(sum.receives, 4 * n);
      EXPECT_EQ(sum.sent, sum.received);
    }
  });
}

TEST_P(select_test, hand_over_and_stop_at_one_moment) {
  run([] {
    long_channel a(0), b(0);
    account sum;
    for (int round = 0; round < sized(300, 60); ++round) {
      stop_scope scope;
      std::vector<task<void>> all;
      for (long i = 1; i <= 4; ++i) {
        all.push_back(start([&, i] {
          hocket::select(send_to(a, i, [&] { sum.out(i); }), send_to(b, i, [&] { sum.out(i); }));
        }));
        all.push_back(start([&] {
          const auto take = [&](std::optional<long> v) { sum.in(v); };
          hocket::select(receive_from(a, take), receive_from(b, take));
        }));
      }
      for (int i = 0; i < round % 5; ++i) this_task::yield();
      scope.request_stop();
      const stop_shield shield;
      wait_all(all);
    }
    EXPECT_EQ(sum.sends, sum.receives);
    EXPECT_EQ(sum.sent, sum.received);
  });
}

TEST_P(select_test, the_last_one_let_go_may_destroy_them) {
  run([] {
    for (int i = 0; i < sized(2000, 300); ++i) {
      auto a = std::make_unique<channel<int>>(0);
      channel<int> b(0);
      auto sender = start([c = a.get(), i] { c->send(i); });
      EXPECT_EQ(hocket::select(receive_from(b, not_run), receive_from(*a, ignored)), 1u);
      sender.wait();
      a.reset();
    }
  });
}

class select_diagnosis : public ::testing::TestWithParam<unsigned> {
 protected:
  void SetUp() override { hocket_test::choose_death_style(); }
};
INSTANTIATE_TEST_SUITE_P(workers, select_diagnosis, ::testing::Values(1u, 2u),
                         ::testing::PrintToStringParamName());

TEST_P(select_diagnosis, a_deadlock_is_reported) {
  EXPECT_EXIT(
      run(options{.workers = GetParam()},
          [] {
            channel<int> a(0), b(0);
            hocket::select(receive_from(a, ignored), receive_from(b, ignored));
          }),
      ::testing::ExitedWithCode(3),
      "hocket: deadlock: 1 task waits, .*task 'main' \\(#[0-9]+\\) waits for a channel at 0x[0-9a-f]+, for");
}

}  // namespace

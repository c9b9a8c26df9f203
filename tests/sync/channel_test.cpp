// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// channel: each value arrives once and in order, whatever the capacity and whoever waits; closing, time
// limits and requests to stop lose none and double none.
#include "context/death_style.hpp"
#include "support/errors.hpp"
#include "support/everywhere.hpp"
#include "support/workers.hpp"

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <new>
#include <random>
#include <string>
#include <thread>
#include <vector>

namespace {
using namespace hocket;
using namespace std::chrono_literals;
using hocket_test::code_of;
using hocket_test::sized;

class channel_test : public hocket_test::on_workers {};
HOCKET_ON_ALL_WORKERS(channel_test);

constexpr std::array<std::size_t, 4> capacities{0, 1, 2, 100};

/// Move-only, and counts its living values; one that has been moved from holds nothing.
class token {
 public:
  explicit token(long n) : n_(std::make_unique<long>(n)) { ++alive; }
  token(token&& other) noexcept : n_(std::move(other.n_)) { ++alive; }
  token& operator=(token&&) = delete;
  ~token() { --alive; }
  bool full() const { return n_ != nullptr; }
  long number() const { return *n_; }
  static inline std::atomic<long> alive{0};

 private:
  std::unique_ptr<long> n_;
};

TEST_P(channel_test, attempts_up_to_the_capacity) {
  run([] {
    hocket_test::everywhere([] {
      for (const std::size_t n : capacities) {
        channel<int> c(n);
        EXPECT_EQ(c.capacity(), n);
        for (int round = 0; round < 3; ++round) {  // the ring goes round
          EXPECT_FALSE(c.try_receive());
          EXPECT_FALSE(c.receive_for(0s));
          for (std::size_t i = 0; i < n; ++i) {
            EXPECT_EQ(c.size(), i);
            EXPECT_TRUE(c.try_send(static_cast<int>(i)));
          }
          EXPECT_EQ(c.size(), n);
          EXPECT_FALSE(c.try_send(-1));
          EXPECT_FALSE(c.send_for(-1, 1us));
          EXPECT_FALSE(c.send_until(-1, std::chrono::steady_clock::now() - 1s));
          if (n != 0) {  // from another place in the ring next time
            EXPECT_EQ(c.receive(), 0);
            EXPECT_TRUE(c.try_send(static_cast<int>(n)));
          }
          for (std::size_t i = 0; i < n; ++i) EXPECT_EQ(c.try_receive(), static_cast<int>(i) + 1);
        }
      }
    });
  });
}

TEST_P(channel_test, a_capacity_that_no_memory_can_hold) {
  EXPECT_THROW(channel<long>(~std::size_t{0}), std::bad_alloc);
  EXPECT_THROW(channel<char>(~std::size_t{0}), std::bad_alloc);
}

TEST_P(channel_test, values_come_in_order) {
  for (const std::size_t capacity : capacities) {
    for (const int n : {0, 1, 2, 1000}) {
      run([&] {
        channel<int> c(capacity);
        auto sender = start([&] {
          for (int i = 0; i < n; ++i) c.send(i);
          c.close();
        });
        int expected = 0;
        for (const int v : c) EXPECT_EQ(v, expected++);
        EXPECT_EQ(expected, n);
        sender.wait();
        EXPECT_FALSE(c.receive());
      });
    }
  }
}

TEST_P(channel_test, waiting_senders_and_receivers_have_their_turn) {
  run([] {
    for (const std::size_t capacity : capacities) {
      channel<int> c(capacity);
      constexpr int n = 20;
      const int before = static_cast<int>(capacity);
      for (int i = 0; i < before; ++i) c.send(i);
      std::vector<task<void>> senders;
      for (int i = 0; i < n; ++i) {
        senders.push_back(start([&, i] { c.send(before + i); }));
        while (tasks_by_state().suspended != static_cast<std::uint64_t>(i) + 1) this_task::yield();
      }
      for (int i = 0; i < before + n; ++i) {
        EXPECT_EQ(c.receive(), i);
        if (i < n) {
          EXPECT_EQ(c.size(), capacity) << "filled by a sender that waits, which is before others";
        }
        if (i < n - 1) {
          EXPECT_FALSE(c.try_send(-1));
        }
      }
      wait_all(senders);
      std::vector<task<int>> receivers;
      for (int i = 0; i < n; ++i) {
        receivers.push_back(start([&] { return c.receive().value(); }));
        while (tasks_by_state().suspended != static_cast<std::uint64_t>(i) + 1) this_task::yield();
      }
      for (int i = 0; i < n; ++i) c.send(i);
      for (int i = 0; i < n; ++i) EXPECT_EQ(receivers[static_cast<std::size_t>(i)].get(), i);
    }
  });
}

/// Senders and receivers, tasks and threads among them: each value once, those of one sender in their order.
void many_to_many(std::size_t capacity, int senders, int receivers, int threads) {
  channel<std::uint64_t> c(capacity);
  const std::uint64_t n = static_cast<std::uint64_t>(sized(2000, 200));
  std::atomic<std::uint64_t> sum{0}, count{0};
  const auto send = [&](std::uint64_t who) {
    for (std::uint64_t i = 0; i < n; ++i) c.send(who << 32 | i);
  };
  const auto receive = [&] {
    std::vector<std::uint64_t> next(static_cast<std::size_t>(senders + threads));
    for (const std::uint64_t v : c) {
      EXPECT_GE(v & 0xffffffff, next[v >> 32]);
      next[v >> 32] = (v & 0xffffffff) + 1;
      sum += v & 0xffffffff;
      ++count;
    }
  };
  std::vector<task<void>> sending, receiving;
  std::vector<std::thread> sending_threads, receiving_threads;
  for (int i = 0; i < receivers; ++i) receiving.push_back(start(receive));
  for (int i = 0; i < threads; ++i) receiving_threads.emplace_back(receive);
  for (int i = 0; i < senders; ++i) sending.push_back(start([&, i] { send(static_cast<std::uint64_t>(i)); }));
  for (int i = 0; i < threads; ++i)
    sending_threads.emplace_back([&, i] { send(static_cast<std::uint64_t>(senders + i)); });
  wait_all(sending);
  blocking([&] {
    for (auto& t : sending_threads) t.join();
  });
  c.close();
  wait_all(receiving);
  blocking([&] {
    for (auto& t : receiving_threads) t.join();
  });
  const auto all = static_cast<std::uint64_t>(senders + threads);
  EXPECT_EQ(count, all * n);
  EXPECT_EQ(sum, all * (n * (n - 1) / 2));
}

TEST_P(channel_test, many_to_many_tasks) {
  run([] {
    for (const std::size_t capacity : {0, 1, 3, 64}) {
      many_to_many(capacity, 1, 1, 0);
      many_to_many(capacity, 5, 1, 0);
      many_to_many(capacity, 1, 5, 0);
      many_to_many(capacity, 8, 8, 0);
    }
  });
}

TEST_P(channel_test, many_to_many_with_threads) {
  run([] {
    many_to_many(0, 2, 2, 2);
    many_to_many(3, 2, 2, 2);
  });
}

TEST_P(channel_test, outside_a_run_threads_use_it_too) {
  for (const std::size_t capacity : capacities) {
    channel<int> c(capacity);
    std::thread other([&] {
      for (int i = 0; i < 300; ++i) c.send(i);
      c.close();
    });
    int expected = 0;
    for (const int v : c) EXPECT_EQ(v, expected++);
    EXPECT_EQ(expected, 300);
    other.join();
    EXPECT_FALSE(c.receive_for(1us));
  }
}

TEST_P(channel_test, behind_waiters_whose_time_is_over) {
  run([] {
    for (int round = 0; round < sized(20, 5); ++round) {
      channel<int> c(0);
      std::vector<task<void>> late;
      for (int i = 0; i < 100; ++i) {
        late.push_back(start([&, i] {
          const auto soon = std::chrono::microseconds(i % 10);
          if (round % 2 == 0) {
            EXPECT_FALSE(c.receive_for(soon));
          } else {
            EXPECT_FALSE(c.send_for(-1, soon));
          }
        }));
      }
      wait_all(late);
      auto partner = start([&] { c.send(round); });
      EXPECT_EQ(c.receive(), round);
      partner.wait();
    }
  });
}

TEST_P(channel_test, what_was_written_before_is_seen) {
  run([] {
    const int n = static_cast<int>(sized(2000, 300));
    for (const std::size_t capacity : {0, 1}) {
      channel<int*> there(capacity), back(capacity);
      std::vector<int> written(static_cast<std::size_t>(n));
      auto other = start([&] {
        for (int* p : there) *p += 1, back.send(p);
      });
      for (int& w : written) {
        w = 41;
        there.send(&w);
        EXPECT_EQ(**back.receive(), 42);
      }
      there.close();
      other.wait();
    }
  });
}

TEST_P(channel_test, closed_while_nobody_waits) {
  run([] {
    hocket_test::everywhere([] {
      channel<int> c(2);
      c.send(1);
      c.send(2);
      EXPECT_FALSE(c.closed());
      c.close();
      c.close();
      EXPECT_TRUE(c.closed());
      EXPECT_EQ(code_of([&] { c.send(3); }), errc::closed);
      EXPECT_EQ(code_of([&] { c.try_send(3); }), errc::closed);
      EXPECT_EQ(code_of([&] { c.send_for(3, 1h); }), errc::closed);
      EXPECT_EQ(c.receive(), 1);
      EXPECT_EQ(c.receive_for(1h), 2);
      EXPECT_FALSE(c.receive());
      EXPECT_FALSE(c.try_receive());
      EXPECT_FALSE(c.receive_for(1h));
    });
  });
}

TEST_P(channel_test, closed_while_they_wait) {
  run([] {
    for (const std::size_t capacity : {0, 2}) {
      for (const int n : {1, 2, 200}) {
        channel<int> c(capacity), full(capacity);
        for (std::size_t i = 0; i < capacity; ++i) full.send(static_cast<int>(i));
        std::atomic<int> empty{0}, refused{0};
        std::vector<task<void>> all;
        for (int i = 0; i < n; ++i) {
          all.push_back(start([&, i] { empty += i % 2 == 0 ? !c.receive() : !c.receive_for(24h); }));
          all.push_back(start([&, i] {
            refused +=
                code_of([&] { i % 2 == 0 ? full.send(7) : void(full.send_for(7, 24h)); }) == errc::closed;
          }));
        }
        std::thread foreign([&] { empty += !c.receive(); });
        this_task::yield();
        c.close();
        full.close();
        wait_all(all);
        blocking([&] { foreign.join(); });
        EXPECT_EQ(empty, n + 1);
        EXPECT_EQ(refused, n);
        for (std::size_t i = 0; i < capacity; ++i) EXPECT_EQ(full.receive(), static_cast<int>(i));
        EXPECT_FALSE(full.receive());
      }
    }
  });
}

TEST_P(channel_test, closed_while_they_send_and_receive) {
  run([] {
    for (int round = 0; round < sized(200, 40); ++round) {
      channel<int> c(static_cast<std::size_t>(round % 3));
      std::atomic<int> sent{0}, received{0};
      std::vector<task<void>> all;
      for (int i = 0; i < 3; ++i) {
        all.push_back(start([&] {
          try {
            for (;; ++sent) c.send(1);
          } catch (const error& e) {
            EXPECT_EQ(e.code(), errc::closed);
          }
        }));
        all.push_back(start([&] {
          for (const int v : c) received += v;
        }));
      }
      for (int i = 0; i < round % 7; ++i) this_task::yield();
      c.close();
      wait_all(all);
      EXPECT_EQ(sent, received);
    }
  });
}

TEST_P(channel_test, hand_over_and_time_out_at_one_moment) {
  run([] {
    for (const std::size_t capacity : {0, 1}) {
      channel<token> c(capacity);
      std::atomic<long> sent{0}, received{0}, kept{0};
      const long n = sized(1500, 200);
      const auto send = [&](unsigned seed) {
        std::mt19937 random(seed);
        for (long i = 0; i < n; ++i) {
          token t(i);
          const bool gone = c.send_for(std::move(t), std::chrono::microseconds(random() % 40));
          EXPECT_NE(t.full(), gone);  // untouched, or moved from
          (gone ? sent : kept) += i;
        }
      };
      const auto receive = [&](unsigned seed) {
        std::mt19937 random(seed);
        for (long i = 0; i < n; ++i) {
          if (auto t = c.receive_for(std::chrono::microseconds(random() % 40))) received += t->number();
        }
      };
      std::vector<task<void>> all;
      for (unsigned k = 0; k < 3; ++k) {
        all.push_back(start([&, k] { send(k); }));
        all.push_back(start([&, k] { receive(10 + k); }));
      }
      std::thread sender([&] { send(20); }), receiver([&] { receive(30); });
      wait_all(all);
      blocking([&] { sender.join(), receiver.join(); });
      while (auto t = c.try_receive()) received += t->number();
      EXPECT_EQ(sent, received);
      EXPECT_EQ(sent + kept, 4 * (n * (n - 1) / 2));
    }
    EXPECT_EQ(token::alive, 0);
  });
}

TEST_P(channel_test, hand_over_and_stop_at_one_moment) {
  run([] {
    channel<token> c(0);
    std::atomic<long> sent{0}, received{0};
    for (int round = 0; round < sized(300, 60); ++round) {
      stop_scope scope;
      std::vector<task<void>> all;
      for (long i = 1; i <= 4; ++i) {
        all.push_back(start([&, i] {
          token t(i);
          try {
            c.send(std::move(t));
            sent += i;
            EXPECT_FALSE(t.full());
          } catch (const cancelled&) {
            EXPECT_TRUE(t.full());
          }
        }));
        all.push_back(start([&] {
          try {
            if (auto t = c.receive()) received += t->number();
          } catch (const cancelled&) {
          }
        }));
      }
      for (int i = 0; i < round % 5; ++i) this_task::yield();
      scope.request_stop();
      const stop_shield shield;
      wait_all(all);
    }
    EXPECT_EQ(sent, received);
    EXPECT_EQ(token::alive, 0);
  });
}

TEST_P(channel_test, a_wait_ends_when_the_task_is_asked_to_stop) {
  run([] {
    channel<int> empty(1), full(1);
    full.send(1);
    std::atomic<int> stopped{0};
    {
      stop_scope scope;
      std::vector<task<void>> all;
      for (int i = 0; i < 4; ++i) {
        all.push_back(start([&, i] {
          try {
            i == 0   ? void(empty.receive())
            : i == 1 ? void(empty.receive_for(24h))
            : i == 2 ? full.send(2)
                     : void(full.send_for(2, 24h));
          } catch (const cancelled&) {
            ++stopped;
            throw;
          }
        }));
      }
      while (tasks_by_state().suspended != 4) this_task::yield();
      scope.request_stop();
      EXPECT_EQ(full.receive(), 1);  // need not wait: not refused
      EXPECT_THROW(empty.receive(), cancelled);
      EXPECT_FALSE(empty.try_receive());
      const stop_shield shield;
      for (auto& t : all) EXPECT_THROW(t.get(), cancelled);
    }
    EXPECT_EQ(stopped, 4);
    EXPECT_EQ(empty.size() + full.size(), 0u);
  });
}

struct alignas(128) aligned {
  int value;
};

TEST_P(channel_test, of_any_kind_of_value) {
  run([] {
    for (const std::size_t capacity : {0, 3}) {
      channel<aligned> a(capacity);
      channel<std::string> s(capacity);
      channel<unit> u(capacity);
      auto other = start([&] {
        for (int i = 0; i < 10; ++i) {
          a.send({i});
          const std::string text(100, static_cast<char>('a' + i));
          s.send(text);
          EXPECT_EQ(text.size(), 100u);
          u.send({});
        }
      });
      for (int i = 0; i < 10; ++i) {
        const auto got = a.receive();
        EXPECT_EQ(got->value, i);
        EXPECT_EQ(reinterpret_cast<std::uintptr_t>(&*got) % 128, 0u);
        EXPECT_EQ(s.receive(), std::string(100, static_cast<char>('a' + i)));
        EXPECT_TRUE(u.receive());
      }
      other.wait();
    }
  });
}

struct copy_throws {
  copy_throws() = default;
  copy_throws(const copy_throws&) { throw std::runtime_error("no copy"); }
  copy_throws(copy_throws&&) noexcept {}
};

TEST_P(channel_test, a_copy_that_throws_sends_nothing) {
  run([] {
    channel<copy_throws> c(1);
    const copy_throws value;
    EXPECT_EQ(hocket_test::thrown_by([&] { c.send(value); }), "no copy");
    EXPECT_EQ(hocket_test::thrown_by([&] { c.try_send(value); }), "no copy");
    EXPECT_EQ(c.size(), 0u);
    c.send(copy_throws());
    EXPECT_EQ(c.size(), 1u);
  });
}

TEST_P(channel_test, ends_with_the_values_it_holds) {
  run([] {
    for (long held = 0; held <= 3; ++held) {
      channel<token> c(3);
      for (long i = 0; i < 2; ++i) c.send(token(i)), c.receive();
      for (long i = 0; i < held; ++i) c.send(token(i));
      EXPECT_EQ(token::alive, held);
    }
    EXPECT_EQ(token::alive, 0);
  });
}

TEST_P(channel_test, the_last_one_let_go_may_destroy_it) {
  run([] {
    for (int i = 0; i < sized(2000, 300); ++i) {
      auto c = std::make_unique<channel<int>>(0);
      auto sender = start([c = c.get(), i] { i % 2 == 0 ? c->send(i) : void(c->send_for(i, 24h)); });
      EXPECT_EQ(i % 4 < 2 ? c->receive() : c->receive_for(24h), i);
      sender.wait();
      c.reset();
    }
    for (int i = 0; i < sized(2000, 300); ++i) {
      auto c = std::make_unique<channel<int>>(1);
      begin([c = c.get(), i] { c->send(i); });  // may still be on its way out
      EXPECT_EQ(i % 2 == 0 ? c->receive() : c->receive_for(24h), i);
      c.reset();
    }
  });
}

TEST_P(channel_test, several_loops_share_one) {
  run([] {
    channel<int> c(4);
    std::vector<task<long>> all;
    for (int i = 0; i < 4; ++i) {
      all.push_back(start([&] {
        long sum = 0;
        for (const int v : c) sum += v;
        return sum;
      }));
    }
    auto sender = start([&] {
      for (int i = 0; i < 1000; ++i) c.send(i);
      c.close();
    });
    long sum = 0;
    for (auto& t : all) sum += t.get();
    sender.wait();
    EXPECT_EQ(sum, 499500);
  });
}

class channel_diagnosis : public ::testing::TestWithParam<unsigned> {
 protected:
  void SetUp() override { hocket_test::choose_death_style(); }
  template <class F>
  void run(F f) {
    hocket::run(options{.workers = GetParam()}, f);
  }
};
INSTANTIATE_TEST_SUITE_P(workers, channel_diagnosis, ::testing::Values(1u, 2u),
                         ::testing::PrintToStringParamName());

TEST_P(channel_diagnosis, destroyed_while_waited_for) {
  EXPECT_DEATH(run([] {
                 auto c = std::make_unique<channel<int>>(1);
                 start([raw = c.get()] { raw->receive(); });
                 while (tasks_by_state().suspended == 0) this_task::yield();
                 c.reset();
               }),
               "hocket: a channel at 0x[0-9a-f]+ was destroyed while tasks or threads wait for it");
}

TEST_P(channel_diagnosis, a_deadlock_is_reported) {
  EXPECT_EXIT(
      run([] { channel<int>(0).send(1); }), ::testing::ExitedWithCode(3),
      "hocket: deadlock: 1 task waits, .*task 'main' \\(#[0-9]+\\) waits for a channel at 0x[0-9a-f]+, for");
}

}  // namespace

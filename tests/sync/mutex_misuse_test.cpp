// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A mutex used against its rules is told so, and stays as it was.
#include "support/everywhere.hpp"
#include "support/workers.hpp"

#include <string>
#include <thread>

namespace {
using namespace hocket;
using namespace std::chrono_literals;

class mutex_misuse : public hocket_test::on_workers {};
HOCKET_ON_ALL_WORKERS(mutex_misuse);

/// The sentence of the error(misuse) that f throws.
template <class F>
std::string misuse_of(F f) {
  try {
    f();
  } catch (const error& e) {
    EXPECT_EQ(e.code(), errc::misuse);
    return e.what();
  }
  return "";
}

const std::string locked_twice = "a mutex was locked by the task or thread that holds it; unlock it first";
const std::string not_its_own = "a mutex was unlocked by a task or thread that does not hold it";

TEST_P(mutex_misuse, locked_again_by_its_holder) {
  run([] {
    hocket_test::everywhere([] {
      mutex m;
      m.lock();
      EXPECT_EQ(misuse_of([&] { m.lock(); }), locked_twice);
      EXPECT_EQ(misuse_of([&] { m.try_lock_for(24h); }), locked_twice);
      EXPECT_FALSE(m.try_lock());
      m.unlock();
      m.lock();
      m.unlock();
    });
  });
}

TEST_P(mutex_misuse, unlocked_when_free) {
  run([] {
    hocket_test::everywhere([] {
      mutex m;
      EXPECT_EQ(misuse_of([&] { m.unlock(); }), not_its_own);
      m.lock();
      m.unlock();
      EXPECT_EQ(misuse_of([&] { m.unlock(); }), not_its_own);
      EXPECT_TRUE(m.try_lock());
      m.unlock();
    });
  });
}

TEST_P(mutex_misuse, unlocked_by_another) {
  run([] {
    mutex m;
    const auto tries = [&] { EXPECT_EQ(misuse_of([&] { m.unlock(); }), not_its_own); };
    m.lock();
    start(tries).get();
    hocket_test::on_a_thread(tries);
    m.unlock();
    hocket_test::on_a_thread([&] {
      m.lock();
      std::thread(tries).join();
      auto t = start(tries);
      t.get();
      m.unlock();
    });
    EXPECT_TRUE(m.try_lock());
    m.unlock();
  });
}

TEST_P(mutex_misuse, what_runs_inlined_on_its_stack_is_the_holder) {
  if (workers() != 1) return;  // others would take the task before
  run([] {
    mutex m;
    m.lock();
    auto t = spawn([&] { EXPECT_EQ(misuse_of([&] { m.lock(); }), locked_twice); });
    t.get();  // runs here
    m.unlock();
  });
}

TEST_P(mutex_misuse, stacks_that_are_used_again_are_other_tasks) {
  run([] {
    // A stack goes from one task to the next: the number, not the stack, is the owner.
    static auto* held_for_good =
        new mutex[65];  // never destroyed: to do so while it is held ends the program
    mutex& m = held_for_good[hocket::workers()];
    start([&] { m.lock(); }).get();
    for (int i = 0; i < 20; ++i) {
      start([&] {
        EXPECT_FALSE(m.try_lock_for(1us));
        EXPECT_EQ(misuse_of([&] { m.unlock(); }), not_its_own);
      }).get();
    }
  });
}

}  // namespace

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What is destroyed while somebody waits for it, and a mutex that is destroyed while it is held, end the
// program with a sentence.
#include "context/death_style.hpp"
#include "support/workers.hpp"

#include <chrono>
#include <memory>
#include <mutex>
#include <string>

namespace {
using namespace hocket;

class destroyed_too_soon : public ::testing::TestWithParam<unsigned> {
 protected:
  void SetUp() override { hocket_test::choose_death_style(); }
  template <class F>
  void run(F f) {
    hocket::run(options{.workers = GetParam()}, f);
  }
};
INSTANTIATE_TEST_SUITE_P(workers, destroyed_too_soon, ::testing::Values(1u, 2u),
                         ::testing::PrintToStringParamName());

const char* event_sentence =
    "hocket: an event at 0x[0-9a-f]+ was destroyed while tasks or threads wait for it; set it";
const char* mutex_sentence =
    "hocket: a mutex at 0x[0-9a-f]+ was destroyed while it is held; unlock it before";

TEST_P(destroyed_too_soon, an_event_with_a_task) {
  EXPECT_DEATH(run([] {
                 auto e = std::make_unique<event>();
                 start([raw = e.get()] { raw->wait(); });
                 while (tasks_by_state().suspended == 0) this_task::yield();
                 e.reset();
               }),
               event_sentence);
}

TEST_P(destroyed_too_soon, an_event_with_one_that_has_little_time) {
  EXPECT_DEATH(run([] {
                 auto e = std::make_unique<event>();
                 start([raw = e.get()] { raw->wait_for(std::chrono::hours(24)); });
                 while (tasks_by_state().suspended == 0) this_task::yield();
                 e.reset();
               }),
               event_sentence);
}

TEST_P(destroyed_too_soon, a_mutex_that_is_held) {
  EXPECT_DEATH(run([] {
                 mutex m;
                 m.lock();
               }),
               mutex_sentence);
}

TEST_P(destroyed_too_soon, a_mutex_that_is_waited_for) {
  EXPECT_DEATH(run([] {
                 auto m = std::make_unique<mutex>();
                 m->lock();
                 start([raw = m.get()] { raw->lock(); });
                 while (tasks_by_state().suspended == 0) this_task::yield();
                 m.reset();
               }),
               mutex_sentence);
}

/// A T, made of the arguments, is destroyed while a task waits for it as `wait` does.
template <class T, class F, class... Args>
void end_waited_for(unsigned workers, F wait, Args... args) {
  hocket::run(options{.workers = workers}, [&] {
    auto object = std::make_unique<T>(args...);
    start([raw = object.get(), wait] { wait(*raw); });
    while (tasks_by_state().suspended == 0) this_task::yield();
    object.reset();
  });
}
std::string sentence(const std::string& what) {
  return "hocket: " + what + " at 0x[0-9a-f]+ was destroyed while tasks or threads wait for it; let it live";
}
constexpr auto hours = std::chrono::hours(24);

TEST_P(destroyed_too_soon, a_semaphore) {
  const auto wait = [](semaphore& s) { s.acquire(2); };
  const auto wait_limited = [](semaphore& s) { s.try_acquire_for(hours, 2); };
  EXPECT_DEATH(end_waited_for<semaphore>(GetParam(), wait, 1), sentence("a semaphore"));
  EXPECT_DEATH(end_waited_for<semaphore>(GetParam(), wait_limited, 1), sentence("a semaphore"));
}
TEST_P(destroyed_too_soon, a_counter) {
  const auto wait = [](counter& c) { c.wait(); };
  const auto wait_limited = [](counter& c) { c.wait_for(hours); };
  EXPECT_DEATH(end_waited_for<counter>(GetParam(), wait, 1), sentence("a counter"));
  EXPECT_DEATH(end_waited_for<counter>(GetParam(), wait_limited, 1), sentence("a counter"));
}
TEST_P(destroyed_too_soon, a_sync_and_a_single_variable) {
  EXPECT_DEATH(end_waited_for<hocket::sync<int>>(GetParam(), [](auto& v) { v.readFE(); }),
               sentence("a sync variable"));
  EXPECT_DEATH(end_waited_for<hocket::sync<int>>(
                   GetParam(), [](auto& v) { v.writeEF_for(2, hours); }, 1),
               sentence("a sync variable"));
  EXPECT_DEATH(end_waited_for<single<int>>(GetParam(), [](auto& v) { v.readFF(); }),
               sentence("a single variable"));
}
TEST_P(destroyed_too_soon, a_latch) {
  const auto wait = [](latch& l) { l.wait(); };
  const auto wait_limited = [](latch& l) { l.wait_for(hours); };
  EXPECT_DEATH(end_waited_for<latch>(GetParam(), wait, 1), sentence("a latch"));
  EXPECT_DEATH(end_waited_for<latch>(GetParam(), wait_limited, 1), sentence("a latch"));
}
TEST_P(destroyed_too_soon, a_barrier) {
  const auto wait = [](barrier<>& b) { b.arrive_and_wait(); };
  const auto wait_limited = [](barrier<>& b) { b.wait_for(b.arrive(), hours); };
  EXPECT_DEATH(end_waited_for<barrier<>>(GetParam(), wait, 2), sentence("a barrier"));
  EXPECT_DEATH(end_waited_for<barrier<>>(GetParam(), wait_limited, 2), sentence("a barrier"));
}
TEST_P(destroyed_too_soon, a_condition_variable) {
  const auto wait = [](condition_variable& c) {
    mutex m;
    std::unique_lock hold(m);
    c.wait(hold);
  };
  const auto wait_limited = [](condition_variable& c) {
    mutex m;
    std::unique_lock hold(m);
    c.wait_for(hold, hours);
  };
  EXPECT_DEATH(end_waited_for<condition_variable>(GetParam(), wait), sentence("a condition variable"));
  EXPECT_DEATH(end_waited_for<condition_variable>(GetParam(), wait_limited),
               sentence("a condition variable"));
}
TEST_P(destroyed_too_soon, a_shared_mutex_that_is_held) {
  const char* held = "hocket: a shared mutex at 0x[0-9a-f]+ was destroyed while it is held; unlock it before";
  EXPECT_DEATH(run([] {
                 hocket::shared_mutex m;
                 m.lock_shared();
               }),
               held);
  EXPECT_DEATH(run([] {
                 hocket::shared_mutex m;
                 m.lock();
               }),
               held);
  const auto wait = [](hocket::shared_mutex& m) {
    m.lock_shared();
    m.lock();
  };
  EXPECT_DEATH(end_waited_for<hocket::shared_mutex>(GetParam(), wait), held);
}

TEST_P(destroyed_too_soon, not_when_they_are_at_rest) {
  EXPECT_EXIT(
      {
        run([] {
          event set, unset;
          set.set();
          mutex m;
          m.lock();
          m.unlock();
          semaphore s(1);
          latch open(0), unopened(1);
          barrier begun(2);
          static_cast<void>(begun.arrive());
          condition_variable c;
          hocket::shared_mutex rw;
          rw.lock_shared();
          rw.unlock_shared();
        });
        std::_Exit(0);
      },
      ::testing::ExitedWithCode(0), "^$");
}

}  // namespace

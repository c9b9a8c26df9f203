// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// An event that is destroyed while somebody waits, and a mutex that is destroyed while it is held, end the
// program with a sentence.
#include "context/death_style.hpp"
#include "support/workers.hpp"

#include <chrono>
#include <memory>

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

TEST_P(destroyed_too_soon, not_when_they_are_at_rest) {
  EXPECT_EXIT(
      {
        run([] {
          event set, unset;
          set.set();
          mutex m;
          m.lock();
          m.unlock();
        });
        std::_Exit(0);
      },
      ::testing::ExitedWithCode(0), "^$");
}

}  // namespace

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// PACLIB's tasks from C++: the same names are functions there; and cancellation does not reach C.
#include <hocket/compat/pac.h>

#include "support/workers.hpp"

#include <cstdint>

namespace {
using namespace hocket;

class pac_cpp : public hocket_test::on_workers {};
HOCKET_ON_ALL_WORKERS(pac_cpp);

pacWord one() { return 1; }
pacWord same(pacWord v) { return v; }
pacWord last_of_eight(pacWord, pacWord, pacWord, pacWord, pacWord, pacWord, pacWord, pacWord h) { return h; }
pacWord wait_here(pacWord t) { return pacWait(nullptr, reinterpret_cast<pacTask>(t)); }

pacWord result_of(pacTask t) {
  pacTask from = nullptr;
  const pacWord v = pacWait(&from, t);
  EXPECT_EQ(from, t);
  pacRelease(t);
  return v;
}

TEST_P(pac_cpp, words_of_any_integer_type_and_pointers) {
  run([] {
    enum small : std::uint8_t { three = 3 };
    int here = 0;
    EXPECT_EQ(result_of(pacStart(one)), 1);
    EXPECT_EQ(result_of(pacVirtual(same, 'x')), 'x');
    EXPECT_EQ(result_of(pacVirtual(same, three)), 3);
    EXPECT_EQ(result_of(pacStart(same, true)), 1);
    EXPECT_EQ(result_of(pacVirtual(same, UINT32_MAX)), pacWord{UINT32_MAX});
    EXPECT_EQ(result_of(pacVirtual(same, &here)), reinterpret_cast<pacWord>(&here));
    EXPECT_EQ(result_of(pacVirtual(last_of_eight, 1, 2, 3, 4, 5, 6, 7, INTPTR_MIN)), INTPTR_MIN);
    EXPECT_EQ(result_of(pacStart([](pacWord a, pacWord b) { return a - b; }, 1, 2)), -1);
  });
}

TEST_P(pac_cpp, waits) {
  run([] {
    const pacTask a = pacStart(same, 1), b = pacVirtual(same, 2);
    pacTask from = nullptr;
    const pacWord v = pacWait(&from, a, b);
    EXPECT_EQ(v, from == a ? 1 : 2);
    pacWord value = 0;
    EXPECT_EQ(pacWaitFor(INT64_MAX, &value, &from, b), 1);
    EXPECT_EQ(value, 2);
    EXPECT_EQ(from, b);
    EXPECT_EQ(pacWaitFor(INT64_MAX, &value, nullptr, a, b), 1);
    EXPECT_EQ(value, 1) << "the first of those that have ended";
    pacRelease(a);
    pacRelease(b);
  });
}

TEST(pac_run, a_run_from_cpp) {
  EXPECT_EQ(pacRun(nullptr, nullptr, one), 1);
  EXPECT_EQ(pacRun(nullptr, nullptr, same, INTPTR_MIN), INTPTR_MIN);
}

TEST_P(pac_cpp, a_task_that_is_asked_to_stop_goes_on_in_c) {
  run([] {
    event gate;
    const pacTask slow =
        pacVirtual([](pacWord g) -> pacWord { return reinterpret_cast<event*>(g)->wait(), 7; }, &gate);
    task<pacWord> waits = spawn([&]() -> pacWord {
      stop_scope scope;
      scope.request_stop();
      EXPECT_THROW(this_task::check(), cancelled);
      const pacTask virtual_one = pacVirtual(same, 1), real = pacStart(same, 2);
      const pacTask waits_there = pacVirtual(wait_here, slow);
      EXPECT_EQ(pacWait(nullptr, virtual_one), 1) << "what is made here is not under the scope";
      EXPECT_EQ(result_of(real), 2);
      pacRelease(virtual_one);
      gate.set();
      const pacWord value = result_of(waits_there) + pacWaitAny(nullptr, 1, &slow);
      EXPECT_EQ(pacWaitFor(INT64_MAX, nullptr, nullptr, slow, slow), 1);
      EXPECT_THROW(this_task::check(), cancelled) << "the scope is in force again";
      return value;
    });
    EXPECT_EQ(waits.get(), 14);
    pacRelease(slow);
  });
}

/// Blocks in a wait of C, and is asked to stop meanwhile.
TEST_P(pac_cpp, a_request_during_the_wait) {
  run([] {
    event gate, inside;
    const pacTask slow =
        pacVirtual([](pacWord g) -> pacWord { return reinterpret_cast<event*>(g)->wait(), 7; }, &gate);
    std::stop_source source;
    task<pacWord> waits = start({.stop = source.get_token()}, [&] {
      inside.set();
      return pacWait(nullptr, slow);
    });
    inside.wait();
    source.request_stop();
    EXPECT_FALSE(waits.wait_for(std::chrono::microseconds(100))) << "it waits on";
    gate.set();
    EXPECT_EQ(waits.get(), 7);
    pacRelease(slow);
  });
}

}  // namespace

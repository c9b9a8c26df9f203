// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What belongs to a task goes with it across suspensions and workers: exception state and floating-point
// environment.
#include "support/workers.hpp"

#include <atomic>
#include <cfenv>
#include <exception>
#include <stdexcept>
#include <string>
#include <vector>

namespace {
using namespace hocket;

class task_state : public hocket_test::on_workers {};
HOCKET_ON_ALL_WORKERS(task_state);

/// Runs f in many tasks at once; each suspends where f calls its argument, and all are resumed from another
/// task.
template <class F>
void in_many(F f) {
  constexpr int n = 40;
  event gate;
  std::atomic<int> reached{0};
  event all_reached;
  std::vector<task<void>> all;
  for (int i = 0; i < n; ++i) {
    all.push_back(start([&, i] {
      f(i, [&] {
        if (++reached == n) all_reached.set();
        gate.wait();
        this_task::yield();
      });
    }));
  }
  all_reached.wait();
  gate.set();
  for (auto& t : all) t.get();
}

TEST_P(task_state, the_caught_exception) {
  run([] {
    in_many([](int i, auto suspend) {
      EXPECT_EQ(std::current_exception(), nullptr);
      try {
        throw i;
      } catch (int caught) {
        suspend();
        EXPECT_EQ(caught, i);
        ASSERT_NE(std::current_exception(), nullptr);
        try {
          throw;
        } catch (int again) {
          EXPECT_EQ(again, i);
        }
      }
      EXPECT_EQ(std::current_exception(), nullptr);
    });
  });
}

TEST_P(task_state, exceptions_caught_within_one_another) {
  run([] {
    in_many([](int i, auto suspend) {
      try {
        throw std::to_string(i);
      } catch (const std::string& outer) {
        try {
          throw i + 1000;
        } catch (int inner) {
          suspend();
          EXPECT_EQ(inner, i + 1000);
        }
        this_task::yield();
        EXPECT_EQ(outer, std::to_string(i));
        try {
          std::rethrow_exception(std::current_exception());
        } catch (const std::string& again) {
          EXPECT_EQ(again, std::to_string(i));
        }
      }
    });
  });
}

template <class F>
struct at_exit {
  F f;
  ~at_exit() { f(); }
};
template <class F>
at_exit(F) -> at_exit<F>;

TEST_P(task_state, the_number_of_exceptions_on_their_way) {
  run([] {
    in_many([](int i, auto suspend) {
      EXPECT_EQ(std::uncaught_exceptions(), 0);
      try {
        at_exit suspends_while_unwinding{[&] {
          EXPECT_EQ(std::uncaught_exceptions(), i % 2);
          suspend();
          EXPECT_EQ(std::uncaught_exceptions(), i % 2);
        }};
        if (i % 2 == 1) throw i;
      } catch (int caught) {
        EXPECT_EQ(caught, i);
      }
      EXPECT_EQ(std::uncaught_exceptions(), 0);
    });
  });
}

TEST_P(task_state, an_inlined_task_sees_the_exceptions_of_its_waiter_only) {
  run([] {
    try {
      throw 1;
    } catch (int) {
      auto t = spawn([] {
        try {
          throw 2;
        } catch (int two) {
          this_task::yield();
          return two;
        }
      });
      EXPECT_EQ(t.get(), 2);
      EXPECT_THROW(throw, int);
    }
  });
}

TEST_P(task_state, rounding_modes) {
  run([] {
    in_many([](int i, auto suspend) {
      constexpr int modes[] = {FE_TONEAREST, FE_DOWNWARD, FE_UPWARD, FE_TOWARDZERO};
      const int mine = modes[i % 4];
      ASSERT_EQ(std::fesetround(mine), 0);
      volatile double one = 1.0, three = 3.0;
      const double before = one / three;
      suspend();
      EXPECT_EQ(std::fegetround(), mine);
      EXPECT_EQ(one / three, before) << "mxcsr";
      std::fesetround(FE_TONEAREST);
    });
    EXPECT_EQ(std::fegetround(), FE_TONEAREST);
  });
  EXPECT_EQ(std::fegetround(), FE_TONEAREST);
}

TEST_P(task_state, a_shared_environment_in_one_run_harms_no_later_run) {
  for (int i = 0; i < 3; ++i) {
    for (const auto env : {fp_environment::shared, fp_environment::per_task}) {
      options o;
      o.fp_env = env;
      run(
          [env] {
            in_many([env](int k, auto suspend) {
              if (env == fp_environment::per_task) std::fesetround(k % 2 == 0 ? FE_UPWARD : FE_DOWNWARD);
              suspend();
              if (env == fp_environment::per_task) {
                EXPECT_EQ(std::fegetround(), k % 2 == 0 ? FE_UPWARD : FE_DOWNWARD);
                std::fesetround(FE_TONEAREST);
              }
            });
            std::vector<task<int>> fresh;
            for (int k = 0; k < 100; ++k) fresh.push_back(start([] { return std::fegetround(); }));
            for (auto& t : fresh) EXPECT_EQ(t.get(), FE_TONEAREST);
          },
          o);
    }
  }
}

}  // namespace

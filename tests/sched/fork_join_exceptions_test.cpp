// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Exceptions out of fork_join and cobegin: all children run, the right one comes out, on the parent or
// elsewhere.
#include "support/workers.hpp"

#include <atomic>
#include <stdexcept>
#include <string>

namespace {
using namespace hocket;
using hocket_test::thrown_by;

class fork_join_exceptions : public hocket_test::on_workers {};
HOCKET_ON_ALL_WORKERS(fork_join_exceptions);

[[noreturn]] void fail(const char* who) { throw std::runtime_error(who); }

TEST_P(fork_join_exceptions, from_f_after_g_ran) {
  run([] {
    bool ran = false;
    EXPECT_EQ(thrown_by([&] { fork_join([] { fail("f"); }, [&] { ran = true; }); }), "f");
    EXPECT_TRUE(ran);
  });
}

TEST_P(fork_join_exceptions, from_g) {
  run([] {
    EXPECT_EQ(thrown_by([] { fork_join([] { return 1; }, [] { fail("g"); }); }), "g");
    EXPECT_EQ(thrown_by([] { fork_join([] { return std::string(100, 'x'); }, [] { return fail("g"), 2; }); }),
              "g");
  });
}

TEST_P(fork_join_exceptions, from_both_gives_that_of_f) {
  run([] { EXPECT_EQ(thrown_by([] { fork_join([] { fail("f"); }, [] { fail("g"); }); }), "f"); });
}

TEST_P(fork_join_exceptions, from_a_stolen_g) {
  run([] {
    for (int i = 0; i < 50; ++i) {
      event set;
      EXPECT_EQ(thrown_by([&] { fork_join([&] { set.wait(); }, [&] { set.set(), fail("g"); }); }), "g");
    }
  });
}

TEST_P(fork_join_exceptions, from_f_while_a_stolen_g_still_runs) {
  run([] {
    event started, go_on;
    bool ended = false;
    begin([&] { go_on.set(); });
    EXPECT_EQ(thrown_by([&] {
                fork_join([&] { started.wait(), fail("f"); },
                          [&] { started.set(), go_on.wait(), ended = true; });
              }),
              "f");
    EXPECT_TRUE(ended) << "fork_join left before its child had ended";
  });
}

TEST_P(fork_join_exceptions, from_both_with_g_stolen) {
  run([] {
    event set;
    EXPECT_EQ(thrown_by([&] { fork_join([&] { set.wait(), fail("f"); }, [&] { set.set(), fail("g"); }); }),
              "f");
  });
}

TEST_P(fork_join_exceptions, g_may_block_while_f_unwinds) {
  run([] {
    event set;
    begin([&] { set.set(); });
    std::string seen;
    EXPECT_EQ(thrown_by([&] {
                fork_join([] { fail("f"); },
                          [&] {
                            set.wait();
                            seen = thrown_by([] { fail("inner"); });
                          });
              }),
              "f");
    EXPECT_EQ(seen, "inner");
  });
}

struct counted {
  static inline std::atomic<int> live{0};
  counted() { ++live; }
  counted(const counted&) { ++live; }
  counted(counted&&) noexcept { ++live; }
  ~counted() { --live; }
};

TEST_P(fork_join_exceptions, results_of_the_other_half_are_destroyed) {
  run([] {
    event set;
    EXPECT_EQ(thrown_by([] { fork_join([] { return counted{}; }, [] { fail("g"); }); }), "g");
    EXPECT_EQ(thrown_by([] { fork_join([] { fail("f"); }, [] { return counted{}; }); }), "f");
    EXPECT_EQ(
        thrown_by([&] { fork_join([&] { set.wait(), fail("f"); }, [&] { return set.set(), counted{}; }); }),
        "f");
  });
  EXPECT_EQ(counted::live, 0);
}

TEST_P(fork_join_exceptions, cobegin_rethrows_the_first_in_argument_order) {
  run([] {
    std::atomic<int> ran{0};
    const auto good = [&] { ++ran; };
    const auto bad = [&](const char* who) {
      return [&ran, who] {
        ++ran;
        fail(who);
      };
    };
    EXPECT_EQ(thrown_by([&] { cobegin(bad("1"), bad("2"), bad("3")); }), "1");
    EXPECT_EQ(thrown_by([&] { cobegin(good, bad("2"), bad("3")); }), "2");
    EXPECT_EQ(thrown_by([&] { cobegin(good, good, bad("3")); }), "3");
    EXPECT_EQ(thrown_by([&] { cobegin(good, good, good); }), "");
    EXPECT_EQ(ran, 12) << "all run, whoever throws";
    event last;  // the first two end after the third
    EXPECT_EQ(thrown_by([&] {
                cobegin([&] { last.wait(), fail("1"); }, [&] { last.wait(), fail("2"); },
                        [&] { last.set(), fail("3"); });
              }),
              "1");
  });
}

long throwing_tree(int depth, std::atomic<long>& leaves) {
  if (depth == 0) {
    if (++leaves % 7 == 0) fail("leaf");
    return 1;
  }
  auto [a, b] = fork_join([&, depth] { return throwing_tree(depth - 1, leaves); },
                          [&, depth] { return throwing_tree(depth - 1, leaves); });
  return a + b;
}

TEST_P(fork_join_exceptions, out_of_a_tree_after_all_leaves_ran) {
  run([] {
    for (int i = 0; i < 20; ++i) {
      std::atomic<long> leaves{0};
      EXPECT_EQ(thrown_by([&] { throwing_tree(8, leaves); }), "leaf");
      EXPECT_EQ(leaves, 256);
    }
  });
}

}  // namespace

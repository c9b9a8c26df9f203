// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Random operations on a few full/empty words and variables, step by step against a model that is simple
// enough to be seen to be right: who goes on, with what value, and what is left.
#include "support/workers.hpp"
#include "sync/full_empty_kinds.hpp"

#include <algorithm>
#include <array>
#include <list>
#include <memory>
#include <optional>
#include <random>
#include <vector>

namespace {
using namespace hocket;
using namespace hocket_test;

enum class op { readFE, readFF, writeEF, writeFF, writeF, purge };
constexpr std::array all_ops{op::readFE, op::readFF, op::writeEF, op::writeFF, op::writeF, op::purge};

/// What one call came to: nothing yet, or done, with the value if it was a read.
struct outcome {
  bool done = false;
  long value = 0;
  bool operator==(const outcome&) const = default;
};

/// The model: a word, and those who wait in the order in which they came.
class model {
 public:
  void call(op what, long value, outcome& o) {
    waiting_.push_back({what, value, &o});
    if (!serve(waiting_.back())) return;
    waiting_.pop_back();
    settle();
  }
  bool full() const { return full_; }
  long value() const { return value_; }

 private:
  struct call_made {
    op what;
    long value;
    outcome* o;
  };
  /// Does it if it need not wait.
  bool serve(const call_made& c) {
    const bool needs_full = c.what == op::readFE || c.what == op::readFF || c.what == op::writeFF;
    if (needs_full && !full_) return false;
    if (c.what == op::writeEF && full_) return false;
    if (c.what == op::readFE || c.what == op::readFF) c.o->value = value_;
    if (c.what == op::writeEF || c.what == op::writeFF || c.what == op::writeF) value_ = c.value;
    if (c.what == op::purge) value_ = 0;
    full_ = c.what == op::purge || c.what == op::readFE ? false : true;
    c.o->done = true;
    return true;
  }
  bool serve_first(op what, bool all) {
    bool any = false;
    for (auto c = waiting_.begin(); c != waiting_.end();) {
      if (c->what != what || !serve(*c)) {
        ++c;
        continue;
      }
      c = waiting_.erase(c);
      any = true;
      if (!all) break;
    }
    return any;
  }
  /// After a change: those who leave a full word full, readers first; then the oldest who changes its state.
  void settle() {
    for (bool any = true; any;) {
      any = false;
      if (full_) {
        serve_first(op::readFF, true);
        serve_first(op::writeFF, true);
        any = serve_first(op::readFE, false);
      }
      if (!full_) any = serve_first(op::writeEF, false) || any;
    }
  }
  bool full_ = true;
  long value_ = 0;
  std::list<call_made> waiting_;
};

/// One call, made by a task of its own.
struct made {
  op what;
  long value;
  outcome real, modelled;
  task<void> by;
};

template <class Kind>
void perform(Kind& x, made& m) {
  switch (m.what) {
    case op::readFE:
      m.real.value = x.readFE();
      break;
    case op::readFF:
      m.real.value = x.readFF();
      break;
    case op::writeEF:
      x.writeEF(m.value);
      break;
    case op::writeFF:
      x.writeFF(m.value);
      break;
    case op::writeF:
      x.writeF(m.value);
      break;
    case op::purge:
      x.purge();
      break;
  }
  m.real.done = true;
}

/// One worker: whatever can run has run when the others have had their turn.
void let_all_run() {
  const auto moves = [] {
    const auto s = stats();
    return s.suspended + s.resumed + s.finished;
  };
  for (auto before = moves() + 1; before != moves();) {
    before = moves();
    for (int i = 0; i < 3; ++i) this_task::yield();
  }
}

template <class Kind>
void compare(unsigned seed) {
  SCOPED_TRACE(testing::Message() << "seed " << seed);
  std::mt19937 random(seed);
  constexpr std::size_t words = 2;
  std::array<Kind, words> real;
  std::array<model, words> modelled;
  std::vector<std::unique_ptr<made>> calls;
  const auto call = [&](std::size_t at, op what, long value) {
    calls.push_back(std::make_unique<made>(made{what, value, {}, {}, {}}));
    made& m = *calls.back();
    m.by = start([&x = real[at], &m] { perform(x, m); });
    modelled[at].call(what, value, m.modelled);
    let_all_run();
    for (std::size_t i = 0; i < calls.size(); ++i)
      ASSERT_EQ(calls[i]->real, calls[i]->modelled)
          << "call " << i << " (operation " << static_cast<int>(calls[i]->what) << ") after call "
          << calls.size() - 1 << " (operation " << static_cast<int>(what) << ")";
    ASSERT_EQ(real[at].is_full(), modelled[at].full());
    ASSERT_EQ(real[at].readXX(), modelled[at].value());
  };
  // Writers that never wait are rare, so that queues grow.
  for (int i = 0; i < 60 && !testing::Test::HasFatalFailure(); ++i) {
    const op what = all_ops[random() % 12 == 0 ? 4 + random() % 2 : random() % 4];
    call(random() % words, what, static_cast<long>(random() % 1000 + 1));
  }
  // Let all go: whoever still waits is served by what it waits for.
  for (std::size_t at = 0; at < words && !testing::Test::HasFatalFailure(); ++at) {
    for (int i = 0; i < 200; ++i) {
      if (modelled[at].full()) {
        call(at, op::readFE, 0);
      } else {
        call(at, op::writeF, 1);
      }
    }
    real[at].writeF(0);
  }
  for (auto& m : calls) {
    ASSERT_TRUE(m->real.done);
    m->by.wait();
  }
}

template <class Kind>
class full_empty_model : public testing::Test {};
using kinds = testing::Types<a_word, a_variable<long>, a_variable<wide>>;
TYPED_TEST_SUITE(full_empty_model, kinds);

TYPED_TEST(full_empty_model, does_what_the_model_does) {
  hocket::run(options{.workers = 1}, [] {
    const unsigned rounds = static_cast<unsigned>(sized(60, 10));
    for (unsigned seed = 1; seed <= rounds && !testing::Test::HasFatalFailure(); ++seed)
      compare<TypeParam>(seed);
  });
}

}  // namespace

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Scenarios of full/empty words and sync variables: each value that is written is read once, and none who
// waits is forgotten.
#include <chrono>
#include <thread>

#include <hocket/hocket.hpp>

#include "scenario.hpp"

namespace explorer {
namespace {
using namespace hocket;
using namespace std::chrono_literals;

const options one_worker{.workers = 1, .pin = false, .spin = 1, .max_threads = 1};
const options two_workers{.workers = 2, .pin = false, .spin = 1, .max_threads = 2};
const options two_shepherds{
    .workers = 2, .pin = false, .spin = 1, .shepherds = 2, .steal = stealing::none, .max_threads = 2};

/// The two kinds under one face; both begin empty.
class word {
 public:
  word() { empty(w_); }
  ~word() { fill(w_); }
  void put(long v) { writeEF(w_, v); }
  bool put_soon(long v) { return writeEF_for(w_, v, 1us); }
  long take() { return readFE(w_); }
  std::optional<long> take_soon() { return readFE_for(w_, 1us); }
  long look() { return readFF(w_); }
  bool full() { return is_full(w_); }

 private:
  long w_ = 0;
};
class variable {
 public:
  void put(long v) { v_.writeEF(v); }
  bool put_soon(long v) { return v_.writeEF_for(v, 1us); }
  long take() { return v_.readFE(); }
  std::optional<long> take_soon() { return v_.readFE_for(1us); }
  long look() { return v_.readFF(); }
  bool full() { return v_.isFull(); }

 private:
  hocket::sync<long> v_;
};

/// A task and two threads write, the main task reads.
template <class Cell>
void many_writers() {
  run(one_worker, [] {
    Cell cell;
    counts_from_here();
    std::thread one([&] { cell.put(1); }), two([&] { cell.put(2); });
    auto other = start([&] { cell.put(4); });
    long sum = 0;
    for (int i = 0; i < 3; ++i) sum += cell.take();
    check(sum == 7, "each value is read once");
    check(!cell.full(), "no value is left");
    other.wait();
    one.join();
    two.join();
  });
}

/// A thread writes what a task reads, which any of two workers may resume.
template <class Cell>
void two_resume() {
  run(two_workers, [] {
    Cell cell;
    counts_from_here();
    std::thread writes([&] { cell.put(1), cell.put(2); });
    check(cell.take() == 1 && cell.take() == 2, "the values come in their order");
    writes.join();
  });
}

/// Tasks that stay on two workers hand a value to and fro.
template <class Cell>
void to_and_fro() {
  run(two_shepherds, [] {
    Cell there, back;
    counts_from_here();
    auto other = start({.shepherd = 1}, [&] {
      for (int i = 0; i < 2; ++i) back.put(there.take() + 1);
    });
    for (long i = 0; i < 2; ++i) {
      there.put(10 * i);
      check(back.take() == 10 * i + 1, "the value comes back");
    }
    other.wait();
  });
}

/// One who takes and two who only look: whoever looks sees a value, and it is taken once.
template <class Cell>
void take_and_look() {
  int looked = 0, taken = 0;
  run(one_worker, [&] {
    Cell cell;
    const auto looks = [&] {
      const long v = cell.look();
      check(v == 1 || v == 2, "a value that was written is seen");
      ++looked;
    };
    counts_from_here();
    auto task_looks = start(looks);
    std::thread takes([&] { check(cell.take() == 1, "the first value is taken first"), ++taken; });
    std::thread thread_looks(looks);
    cell.put(1);
    cell.put(2);  // when the first was taken; it stays for those who look
    task_looks.wait();
    takes.join();
    thread_looks.join();
    check(cell.full(), "the second value is left");
    cell.take();
  });
  check(looked == 2 && taken == 1, "nobody who waits is forgotten");
}

/// Those who write and those who read give up after a while: what was written and not read is left.
template <class Cell>
void limit() {
  run(one_worker, [] {
    Cell cell;
    int written = 0, read = 0;
    counts_from_here();
    std::thread writes([&] { written += cell.put_soon(1); });
    std::thread reads([&] { read += cell.take_soon().has_value(); });
    auto task_reads = start([&] { read += cell.take_soon().has_value(); });
    written += cell.put_soon(2);
    task_reads.wait();
    writes.join();
    reads.join();
    check(written == read + (cell.full() ? 1 : 0), "a value is either read or left");
    if (cell.full()) cell.take();
  });
}

/// Who let a thread go on has left the variable when it may end.
void variable_ends() {
  run(one_worker, [] {
    counts_from_here();
    auto v = std::make_unique<hocket::sync<long>>();
    auto writes = start([&v = *v] { v.writeEF(3); });
    std::thread reads([&v] {
      check(v->readFE() == 3, "the value is read");
      v.reset();
    });
    writes.wait();
    reads.join();
  });
}

}  // namespace

scenarios full_empty_scenarios() {
  return {{"word_many_writers", "a full/empty word, three write", many_writers<word>},
          {"word_two_resume", "a word, two workers may resume the reader", two_resume<word>},
          {"word_to_and_fro", "two words between two workers", to_and_fro<word>},
          {"word_take_and_look", "a word, readFE and readFF", take_and_look<word>},
          {"word_limit", "a word, all give up after a while", limit<word>},
          {"variable_many_writers", "a sync variable, three write", many_writers<variable>},
          {"variable_two_resume", "a variable, two workers may resume the reader", two_resume<variable>},
          {"variable_to_and_fro", "two variables between two workers", to_and_fro<variable>},
          {"variable_take_and_look", "a variable, readFE and readFF", take_and_look<variable>},
          {"variable_limit", "a variable, all give up after a while", limit<variable>},
          {"variable_ends", "a variable that ends when it was read", variable_ends}};
}

}  // namespace explorer

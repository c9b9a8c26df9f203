// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// PACLIB's tasks for C: each is a descriptor of the kernel, whose closure is a function and its words.
#include <hocket/compat/pac.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <new>
#include <string>
#include <utility>

#include <hocket/error.hpp>
#include <hocket/run.hpp>
#include <hocket/stop.hpp>
#include <hocket/task.hpp>

#include "sched/kernel.hpp"
#include "sched/real_task.hpp"
#include "sched/scheduler.hpp"

namespace {
using namespace hocket;
using namespace hocket::detail;

[[noreturn]] HOCKET_COLD void die(const char* function, const std::string& what) {
  std::fprintf(stderr, "hocket: %s: %s\n", function, what.c_str());
  std::abort();
}

/// Ends the program with what is on its way: C has no frames for it to pass.
[[noreturn]] HOCKET_COLD void die_of_exception(const char* function) {
  try {
    throw;
  } catch (const error& e) {
    if (e.code() == errc::not_running && !forked_away())
      die(function, "no run goes on; call it inside pacRun(), or between pacInitialize() and pacFinalize()");
    die(function, e.what());
  } catch (const std::exception& e) {
    die(function, e.what());
  } catch (...) {
    die(function, "an exception that is no std::exception");
  }
}

// --- calling a function with its words

template <std::size_t>
using word = pacWord;

template <std::size_t... I>
pacWord apply(pacFunction f, const pacWord* words, std::index_sequence<I...>) {
  return reinterpret_cast<pacWord (*)(word<I>...)>(f)(words[I]...);
}

template <std::size_t N>
pacWord call(pacFunction f, const pacWord* words) {
  try {
    return apply(f, words, std::make_index_sequence<N>{});
  } catch (...) {
    die_of_exception("an exception left a task's function, which C cannot receive");
  }
}

/// What the descriptor holds of a task: with up to three words it fits into one cache line. Made and called
/// in place: to copy what has just been written word by word would stall the processor.
template <std::size_t N>
struct closure {
  pacFunction f;
  std::array<pacWord, N> words;
  pacWord operator()() { return call<N>(f, words.data()); }
};

template <std::size_t N>
struct pac_record : task_record<closure<N>, pacWord, false> {
  using usual = task_record<closure<N>, pacWord, false>;
  static void invoke(descriptor* d) {
    const pacWord result = (*usual::closure(d))();
    new (usual::place(d)) pacWord(result);
  }
  static constexpr task_operations operations = [] {
    task_operations o = usual::operations;
    o.invoke = &invoke;
    return o;
  }();
};
static_assert(pac_record<3>::bytes == 64);
static_assert(pac_record<PAC_MOST_WORDS>::bytes <= 128);

template <std::size_t... I>
void put(void* place, pacFunction f, const pacWord* words, std::index_sequence<I...>) {
  new (place) closure<sizeof...(I)>{f, {words[I]...}};
}

template <std::size_t N>
descriptor* make(pacFunction f, const pacWord* words) {
  descriptor* d = new_descriptor(pac_record<N>::operations, 2, nullptr);
  put(pac_record<N>::place(d), f, words, std::make_index_sequence<N>{});
  return d;
}

// By the number of words.
struct by_count {
  pacWord (*call)(pacFunction, const pacWord*);
  descriptor* (*make)(pacFunction, const pacWord*);
};
template <std::size_t... N>
constexpr std::array<by_count, sizeof...(N)> for_counts(std::index_sequence<N...>) {
  return {by_count{&call<N>, &make<N>}...};
}
constexpr auto with_words = for_counts(std::make_index_sequence<PAC_MOST_WORDS + 1>{});

[[noreturn]] HOCKET_COLD void refuse_call(const char* function, pacFunction f, std::size_t count) {
  if (f == nullptr) die(function, "the function is null; give one that takes and returns words");
  if (count <= PAC_MOST_WORDS) die(function, "the array of words is null");
  die(function, std::to_string(count) + " words were given; a task takes at most " +
                    std::to_string(PAC_MOST_WORDS) + ": pass a pointer to a structure");
}
inline void check_call(const char* function, pacFunction f, std::size_t count, const pacWord* words) {
  if (HOCKET_UNLIKELY(f == nullptr || count > PAC_MOST_WORDS || (count != 0 && words == nullptr)))
    refuse_call(function, f, count);
}

// --- cancellation does not reach C

template <class F>
HOCKET_NOINLINE auto shielded(F& f) {
  stop_link none;
  none.shielded = true;
  none.enter();
  struct at_end {
    stop_link& link;
    ~at_end() { link.leave(); }
  } end{none};
  return f();
}

/// Calls f so that no wait in it throws `cancelled`, and what it makes is under no stop token.
template <class F>
auto unstoppable(F f) {
  const real_task* t = current_task();
  if (HOCKET_LIKELY(t == nullptr || t->scope.load(std::memory_order_relaxed) == nullptr)) return f();
  return shielded(f);
}

// --- making tasks

template <class Submit>
pacTask make_task(const char* function, pacFunction f, std::size_t count, const pacWord* words,
                  Submit submit) {
  check_call(function, f, count, words);
  try {
    return unstoppable([&] {
      descriptor* d = with_words[count].make(f, words);
      submit(d);
      return d;
    });
  } catch (const std::bad_alloc&) {
  } catch (const error& e) {
    if (e.code() != errc::no_memory) die_of_exception(function);
  } catch (...) {
    die_of_exception(function);
  }
  errno = ENOMEM;
  return nullptr;
}

// --- waiting

[[noreturn]] HOCKET_COLD void refuse_tasks(const char* function, std::size_t count, std::size_t null) {
  if (count == 0) die(function, "no task was given to wait for; give at least one");
  die(function, "task " + std::to_string(null + 1) + " of " + std::to_string(count) +
                    " is null: it was never made, or there was no memory for it");
}
inline void check_tasks(const char* function, std::size_t count, const pacTask* tasks) {
  if (HOCKET_UNLIKELY(count == 0 || tasks == nullptr)) refuse_tasks(function, 0, 0);
  for (std::size_t i = 0; i < count; ++i) {
    if (HOCKET_UNLIKELY(tasks[i] == nullptr)) refuse_tasks(function, count, i);
  }
}

bool is_done(pacTask t) {
  return (t->word.load(std::memory_order_acquire) & task_word::state_mask) == task_word::done;
}

/// The position of one that has ended; count if the time has come before.
std::size_t wait_for_one(const char* function, std::size_t count, const pacTask* tasks, deadline until) {
  if (is_done(tasks[0])) return 0;
  try {
    return unstoppable([&]() -> std::size_t {
      if (count != 1 || until != never) return wait_any_until(tasks, count, until);
      wait_done(tasks[0]);
      return 0;
    });
  } catch (...) {  // no memory for a stack: there is no value to return
    die_of_exception(function);
  }
}

pacWord deliver(pacTask* from, pacTask t) {
  if (from != nullptr) *from = t;
  return *std::launder(static_cast<const pacWord*>(result_place(t)));
}

// --- runs

options options_from(const char* function, int* argc, char** argv) {
  if (argc == nullptr) return options::from_environment();
  if (argv == nullptr) die(function, "argc was given without argv; give both, or null for both");
  return options::from(*argc, argv);
}

/// Begins a run by f(); if that throws before `begun`, says so and returns the error number, else 0.
template <class F>
int begin_run(const char* function, const bool& begun, F f) {
  const int kept = errno;
  try {
    f();
    errno = kept;
    return 0;
  } catch (const std::bad_alloc&) {
    if (begun) die_of_exception(function);
    report_uncaught("no memory to begin a run");
    return ENOMEM;
  } catch (const error& e) {
    const int number = e.code() == errc::invalid_option ? EINVAL
                       : e.code() == errc::no_memory    ? ENOMEM
                       : e.code() == errc::no_threads   ? EAGAIN
                                                        : 0;
    if (begun || number == 0) die_of_exception(function);
    report_uncaught(e.what());
    return number;
  } catch (...) {
    die_of_exception(function);
  }
}

}  // namespace

// NOLINTBEGIN(readability-identifier-naming): PACLIB's names
pacTask pacStartWords(pacFunction f, size_t count, const pacWord* words) {
  return make_task("pacStart", f, count, words, [](descriptor* d) { submit_real(d); });
}

pacTask pacVirtualWords(pacFunction f, size_t count, const pacWord* words) {
  return make_task("pacVirtual", f, count, words, [](descriptor* d) { submit_virtual(d, false); });
}

pacWord pacWaitAny(pacTask* from, size_t count, const pacTask* tasks) {
  check_tasks("pacWait", count, tasks);
  return deliver(from, tasks[wait_for_one("pacWait", count, tasks, never)]);
}

int pacWaitAnyFor(int64_t nanoseconds, pacWord* value, pacTask* from, size_t count, const pacTask* tasks) {
  check_tasks("pacWaitFor", count, tasks);
  const deadline until =
      nanoseconds == INT64_MAX ? never : deadline_after(std::chrono::nanoseconds(nanoseconds));
  const std::size_t i = wait_for_one("pacWaitFor", count, tasks, until);
  if (i == count) return 0;
  const pacWord delivered = deliver(from, tasks[i]);
  if (value != nullptr) *value = delivered;
  return 1;
}

int pacDone(pacTask t) {
  check_tasks("pacDone", 1, &t);
  return is_done(t) ? 1 : 0;
}

pacTask pacKeep(pacTask t) {
  // relaxed: the reference that the caller has keeps the descriptor alive.
  if (t != nullptr) t->word.fetch_add(task_word::reference, std::memory_order_relaxed);
  return t;
}

void pacRelease(pacTask t) {
  if (t != nullptr) release_descriptor(t);
}

pacWord pacRunWords(int* argc, char** argv, pacFunction f, size_t count, const pacWord* words) {
  check_call("pacRun", f, count, words);
  bool begun = false;
  pacWord value = 0;
  const int number = begin_run("pacRun", begun, [&] {
    hocket::run(options_from("pacRun", argc, argv), [&] {
      begun = true;
      value = with_words[count].call(f, words);
    });
  });
  if (number == 0) return value;
  errno = number;
  return number == EINVAL ? 2 : 1;
}

int pacInitialize(int* argc, char** argv) {
  const int number =
      begin_run("pacInitialize", false, [&] { initialize(options_from("pacInitialize", argc, argv)); });
  if (number == 0) return 0;
  errno = number;
  return -1;
}

void pacFinalize(void) {
  try {
    finalize();
  } catch (const error& e) {
    if (e.code() == errc::not_running && !forked_away())
      die("pacFinalize", "there was no pacInitialize() before it; call each once");
    die_of_exception("pacFinalize");
  } catch (...) {
    die_of_exception("pacFinalize");
  }
}
// NOLINTEND(readability-identifier-naming)

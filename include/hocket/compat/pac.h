// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// PACLIB's tasks for C (C99 or later) and C++ (C++11 or later): pacStart, pacVirtual, pacWait.
// Example: examples/pac.c; rules of use: docs/pac.md.
#pragma once
// NOLINTBEGIN(readability-identifier-naming): PACLIB's names
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
#include <type_traits>
namespace hocket {
namespace detail {
struct descriptor;
}
}  // namespace hocket
typedef hocket::detail::descriptor* pacTask;
extern "C" {
#else
typedef struct pacDescriptor* pacTask;
#endif

// pacTask is a handle: a value that can be copied, stored and given to others; null denotes no task. The task
// ends whether or not a handle is left; its result lives until the last reference is released.
//
// Misuse (a null handle waited for, a task made outside a run, ...) ends the program: a sentence, abort().

/// pacWord is what tasks take and return: an integer, or a pointer by a cast.
typedef intptr_t pacWord;
/// pacFunction is any function, until it is called. A task's takes up to PAC_MOST_WORDS words, returns one.
typedef void (*pacFunction)(void);
#define PAC_MOST_WORDS 8

// --- making tasks

/// pacStart(f, a1, ..., an) makes a task that computes f(a1, ..., an) and is real at once: it has a stack and
/// is ready. Returns its handle, with one reference, which is the caller's to release. Null, and errno
/// ENOMEM, if there is no memory. Never blocks. Any task or thread, while a run goes on.
///
/// pacVirtual(f, a1, ..., an) makes a virtual task: a descriptor (64 bytes up to three words, 128 beyond),
/// no stack. It runs when a worker is idle, when a task ends, or when somebody waits for it. All else is as
/// for pacStart; prefer it, unless the task must get its turn among the ready ones.
///
/// Both are these, where the words come in an array, which is copied:
pacTask pacStartWords(pacFunction f, size_t count, const pacWord* words);
pacTask pacVirtualWords(pacFunction f, size_t count, const pacWord* words);

// --- waiting

/// pacWait(from, t1, ..., tn) returns the result of one of the tasks t1, ..., tn that has ended, the first
/// such if there are several, and blocks the task or thread until there is one. Its handle is put into *from
/// (one of those given: no new reference), unless `from` is null.
/// Waiting destroys nothing: any number of tasks and threads may wait for a task, each any number of times.
/// One task that is still virtual is run here, as a call, if the stack left allows; of several, those still
/// virtual are made real before the caller blocks, so that each gets its turn.
/// Works after the end of the run, too. What the tasks did is visible to the caller afterwards.
///
/// pacWait is this, where the handles come in an array; 0 < count:
pacWord pacWaitAny(pacTask* from, size_t count, const pacTask* tasks);

/// pacWaitFor(nanoseconds, value, from, t1, ..., tn): as pacWait, but at most so long; 0 or less only looks.
/// Returns 1 and puts the result into *value, unless `value` is null; 0 if none has ended, and leaves *value
/// and *from alone. Virtual tasks, also a single one, are made real before the caller blocks. INT64_MAX is
/// no limit, and the call as pacWait.
///
/// pacWaitFor is this, where the handles come in an array; 0 < count:
int pacWaitAnyFor(int64_t nanoseconds, pacWord* value, pacTask* from, size_t count, const pacTask* tasks);

/// pacDone() tells whether the task has ended: 1 or 0. If so, what it did is visible to the caller. Never
/// blocks.
int pacDone(pacTask t);

// --- references

/// pacKeep() adds a reference to the task's descriptor, and returns t.
/// pacRelease() drops one; with the last one the result is gone. A task whose last reference is released
/// before it has ended runs all the same. A null handle is let be. Any task or thread, also after the run.
pacTask pacKeep(pacTask t);
void pacRelease(pacTask t);

// --- runs

/// pacRun(argc, argv, f, a1, ..., an) begins a run, calls f(a1, ..., an) as its main task, and returns its
/// value when it and all tasks, virtual ones included, have ended. Takes --hk-* options out of *argc and
/// argv, unless `argc` is null, and HOCKET_* from the environment. The calling thread is a worker meanwhile.
/// If no run could begin, one sentence is printed and f is not called: value 2 and errno EINVAL for a bad
/// option; value 1 and errno ENOMEM or EAGAIN if there is no memory or no thread. Else errno is as before.
///
/// pacRun is this, where the words come in an array:
pacWord pacRunWords(int* argc, char** argv, pacFunction f, size_t count, const pacWord* words);

/// pacInitialize() begins a run without a main task; the calling thread stays what it is, and may make tasks
/// and wait for them. Returns 0; -1, with errno and a sentence as for pacRun, if no run could begin.
/// pacFinalize() returns when all tasks have ended; then the run is over. Any thread that is no task.
int pacInitialize(int* argc, char** argv);
void pacFinalize(void);

#ifndef __cplusplus

#define pacStart(...) pacStartWords(PAC_CALL(__VA_ARGS__))
#define pacVirtual(...) pacVirtualWords(PAC_CALL(__VA_ARGS__))
#define pacRun(argc, argv, ...) pacRunWords(argc, argv, PAC_CALL(__VA_ARGS__))
#define pacWait(from, ...) pacWaitAny(from, PAC_TASKS(__VA_ARGS__))
#define pacWaitFor(nanoseconds, value, from, ...) \
  pacWaitAnyFor(nanoseconds, value, from, PAC_TASKS(__VA_ARGS__))

// How they are made; not for users. `1 ? (f) : (T)0` lets the compiler compare f's type with the arguments.
#define PAC_TASKS(...) \
  sizeof((const pacTask[]){__VA_ARGS__}) / sizeof(pacTask), (const pacTask[]) { __VA_ARGS__ }
#define PAC_PICK(f, a, b, c, d, e, g, h, i, name, ...) name
#define PAC_CALL(...)                                                                                \
  PAC_PICK(__VA_ARGS__, PAC_CALL8, PAC_CALL7, PAC_CALL6, PAC_CALL5, PAC_CALL4, PAC_CALL3, PAC_CALL2, \
           PAC_CALL1, PAC_CALL0, 0)                                                                  \
  (__VA_ARGS__)
#define PAC_CHECKED(type, f) (pacFunction)(1 ? (f) : (type)0)
#define PAC_CALL0(f) PAC_CHECKED(pacFunction0, f), 0, NULL
#define PAC_CALL1(f, a) \
  PAC_CHECKED(pacFunction1, f), 1, (const pacWord[]) { (pacWord)(a) }
#define PAC_CALL2(f, a, b) \
  PAC_CHECKED(pacFunction2, f), 2, (const pacWord[]) { (pacWord)(a), (pacWord)(b) }
#define PAC_CALL3(f, a, b, c) \
  PAC_CHECKED(pacFunction3, f), 3, (const pacWord[]) { (pacWord)(a), (pacWord)(b), (pacWord)(c) }
#define PAC_CALL4(f, a, b, c, d)                           \
  PAC_CHECKED(pacFunction4, f), 4, (const pacWord[]) {     \
    (pacWord)(a), (pacWord)(b), (pacWord)(c), (pacWord)(d) \
  }
#define PAC_CALL5(f, a, b, c, d, e)                                      \
  PAC_CHECKED(pacFunction5, f), 5, (const pacWord[]) {                   \
    (pacWord)(a), (pacWord)(b), (pacWord)(c), (pacWord)(d), (pacWord)(e) \
  }
#define PAC_CALL6(f, a, b, c, d, e, g)                                                 \
  PAC_CHECKED(pacFunction6, f), 6, (const pacWord[]) {                                 \
    (pacWord)(a), (pacWord)(b), (pacWord)(c), (pacWord)(d), (pacWord)(e), (pacWord)(g) \
  }
#define PAC_CALL7(f, a, b, c, d, e, g, h)                                                            \
  PAC_CHECKED(pacFunction7, f), 7, (const pacWord[]) {                                               \
    (pacWord)(a), (pacWord)(b), (pacWord)(c), (pacWord)(d), (pacWord)(e), (pacWord)(g), (pacWord)(h) \
  }
#define PAC_CALL8(f, a, b, c, d, e, g, h, i)                                                          \
  PAC_CHECKED(pacFunction8, f), 8, (const pacWord[]) {                                                \
    (pacWord)(a), (pacWord)(b), (pacWord)(c), (pacWord)(d), (pacWord)(e), (pacWord)(g), (pacWord)(h), \
        (pacWord)(i)                                                                                  \
  }
typedef pacWord (*pacFunction0)(void);
typedef pacWord (*pacFunction1)(pacWord);
typedef pacWord (*pacFunction2)(pacWord, pacWord);
typedef pacWord (*pacFunction3)(pacWord, pacWord, pacWord);
typedef pacWord (*pacFunction4)(pacWord, pacWord, pacWord, pacWord);
typedef pacWord (*pacFunction5)(pacWord, pacWord, pacWord, pacWord, pacWord);
typedef pacWord (*pacFunction6)(pacWord, pacWord, pacWord, pacWord, pacWord, pacWord);
typedef pacWord (*pacFunction7)(pacWord, pacWord, pacWord, pacWord, pacWord, pacWord, pacWord);
typedef pacWord (*pacFunction8)(pacWord, pacWord, pacWord, pacWord, pacWord, pacWord, pacWord, pacWord);

#else
}  // extern "C"

// In C++ the same names are functions.
namespace hocket {
namespace pac {
/// The type of a task function's parameter, whatever is given for it.
template <class T>
struct word_for {
  static_assert(std::is_integral<T>::value || std::is_enum<T>::value || std::is_pointer<T>::value,
                "a task takes integers and pointers");
  typedef pacWord type;
};
template <class... T>
struct words_of {
  static_assert(sizeof...(T) <= PAC_MOST_WORDS, "a task takes at most 8 words");
  explicit words_of(T... values) : words{(pacWord)values..., 0} {}
  pacWord words[sizeof...(T) + 1];
};
}  // namespace pac
}  // namespace hocket

template <class... T>
inline pacTask pacStart(pacWord (*f)(typename hocket::pac::word_for<T>::type...), T... values) {
  const hocket::pac::words_of<T...> w(values...);
  return pacStartWords(reinterpret_cast<pacFunction>(f), sizeof...(T), w.words);
}
template <class... T>
inline pacTask pacVirtual(pacWord (*f)(typename hocket::pac::word_for<T>::type...), T... values) {
  const hocket::pac::words_of<T...> w(values...);
  return pacVirtualWords(reinterpret_cast<pacFunction>(f), sizeof...(T), w.words);
}
template <class... T>
inline pacWord pacRun(int* argc, char** argv, pacWord (*f)(typename hocket::pac::word_for<T>::type...),
                      T... values) {
  const hocket::pac::words_of<T...> w(values...);
  return pacRunWords(argc, argv, reinterpret_cast<pacFunction>(f), sizeof...(T), w.words);
}
template <class... T>
inline pacWord pacWait(pacTask* from, pacTask first, T... others) {
  const pacTask tasks[] = {first, others...};
  return pacWaitAny(from, 1 + sizeof...(T), tasks);
}
template <class... T>
inline int pacWaitFor(int64_t nanoseconds, pacWord* value, pacTask* from, pacTask first, T... others) {
  const pacTask tasks[] = {first, others...};
  return pacWaitAnyFor(nanoseconds, value, from, 1 + sizeof...(T), tasks);
}
#endif
// NOLINTEND(readability-identifier-naming)

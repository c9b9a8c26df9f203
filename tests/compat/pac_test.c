/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* PACLIB's tasks in C: words and results, handles as values, waits for one and for several, from tasks and
   from threads. */
#define _POSIX_C_SOURCE 200809L
#include <errno.h>
#include <pthread.h>
#include <string.h>

#include "check.h"

/* --- words */

static pacWord f0(void) { return 42; }
static pacWord f1(pacWord a) { return a; }
static pacWord f2(pacWord a, pacWord b) { return 10 * a + b; }
static pacWord f3(pacWord a, pacWord b, pacWord c) { return 10 * f2(a, b) + c; }
static pacWord f4(pacWord a, pacWord b, pacWord c, pacWord d) { return 10 * f3(a, b, c) + d; }
static pacWord f5(pacWord a, pacWord b, pacWord c, pacWord d, pacWord e) { return 10 * f4(a, b, c, d) + e; }
static pacWord f6(pacWord a, pacWord b, pacWord c, pacWord d, pacWord e, pacWord f) {
  return 10 * f5(a, b, c, d, e) + f;
}
static pacWord f7(pacWord a, pacWord b, pacWord c, pacWord d, pacWord e, pacWord f, pacWord g) {
  return 10 * f6(a, b, c, d, e, f) + g;
}
static pacWord f8(pacWord a, pacWord b, pacWord c, pacWord d, pacWord e, pacWord f, pacWord g, pacWord h) {
  return 10 * f7(a, b, c, d, e, f, g) + h;
}

/* The result of a task that nobody else knows. */
static pacWord result_of(pacTask t) {
  pacTask from = NULL;
  CHECK(t != NULL);
  const pacWord v = pacWait(&from, t);
  CHECK(from == t);
  pacRelease(t);
  return v;
}

static pacWord any_number_of_words(void) {
  CHECK(result_of(pacStart(f0)) == 42);
  CHECK(result_of(pacStart(f1, 1)) == 1);
  CHECK(result_of(pacStart(f2, 1, 2)) == 12);
  CHECK(result_of(pacStart(f3, 1, 2, 3)) == 123);
  CHECK(result_of(pacStart(f4, 1, 2, 3, 4)) == 1234);
  CHECK(result_of(pacStart(f5, 1, 2, 3, 4, 5)) == 12345);
  CHECK(result_of(pacStart(f6, 1, 2, 3, 4, 5, 6)) == 123456);
  CHECK(result_of(pacStart(f7, 1, 2, 3, 4, 5, 6, 7)) == 1234567);
  CHECK(result_of(pacStart(f8, 1, 2, 3, 4, 5, 6, 7, 8)) == 12345678);
  CHECK(result_of(pacVirtual(f0)) == 42);
  CHECK(result_of(pacVirtual(f1, 1)) == 1);
  CHECK(result_of(pacVirtual(f2, 1, 2)) == 12);
  CHECK(result_of(pacVirtual(f3, 1, 2, 3)) == 123);
  CHECK(result_of(pacVirtual(f4, 1, 2, 3, 4)) == 1234);
  CHECK(result_of(pacVirtual(f5, 1, 2, 3, 4, 5)) == 12345);
  CHECK(result_of(pacVirtual(f6, 1, 2, 3, 4, 5, 6)) == 123456);
  CHECK(result_of(pacVirtual(f7, 1, 2, 3, 4, 5, 6, 7)) == 1234567);
  CHECK(result_of(pacVirtual(f8, 1, 2, 3, 4, 5, 6, 7, 8)) == 12345678);
  return 1;
}

static pacWord length(pacWord text) { return (pacWord)strlen((const char*)text); }

static pacWord what_fits_a_word(void) {
  const char* text = "four";
  const char small = -3;
  const unsigned large = UINT32_MAX;
  CHECK(result_of(pacStart(f1, INTPTR_MIN)) == INTPTR_MIN);
  CHECK(result_of(pacVirtual(f1, INTPTR_MAX)) == INTPTR_MAX);
  CHECK(result_of(pacVirtual(f1, small)) == -3);
  CHECK(result_of(pacVirtual(f1, large)) == (pacWord)UINT32_MAX);
  CHECK(result_of(pacVirtual(length, text)) == 4);
  CHECK((const char*)result_of(pacVirtual(f1, text)) == text);
  return 1;
}

static pacWord words_in_an_array(void) {
  pacWord words[PAC_MOST_WORDS] = {1, 2, 3, 4, 5, 6, 7, 8};
  const pacTask t = pacVirtualWords((pacFunction)f8, 8, words);
  const pacTask r = pacStartWords((pacFunction)f2, 2, words);
  memset(words, 0, sizeof words); /* they have been copied */
  CHECK(result_of(t) == 12345678);
  CHECK(result_of(r) == 12);
  CHECK(result_of(pacVirtualWords((pacFunction)f0, 0, NULL)) == 42);
  return 1;
}

/* --- handles */

static pacWord wait_for(pacWord task) { return pacWait(NULL, (pacTask)task); }
static pacWord through_a_gate(pacWord g, pacWord v) {
  gate_wait((struct gate*)g);
  return v;
}
static void* thread_that_waits(void* task) { return (void*)pacWait(NULL, (pacTask)task); }

static pacWord any_number_of_waiters(void) {
  enum { tasks = 20, threads = 4 };
  struct gate* g = gate_new();
  const pacTask slow = pacVirtual(through_a_gate, g, 7);
  pacTask waiters[tasks];
  pthread_t waiting[threads];
  pacWord sum = 0;
  for (int i = 0; i < tasks; ++i)
    waiters[i] = i % 2 == 0 ? pacStart(wait_for, slow) : pacVirtual(wait_for, slow);
  for (int i = 0; i < threads; ++i) CHECK(pthread_create(&waiting[i], NULL, thread_that_waits, slow) == 0);
  CHECK(pacWaitFor(0, NULL, NULL, waiters[0]) == 0);
  gate_open(g);
  for (int i = 0; i < tasks; ++i) sum += result_of(waiters[i]);
  CHECK(sum == 7 * tasks);
  for (int i = 0; i < threads; ++i) {
    void* seen;
    CHECK(pthread_join(waiting[i], &seen) == 0 && (pacWord)seen == 7);
  }
  for (int i = 0; i < 3; ++i) CHECK(pacWait(NULL, slow) == 7);
  pacRelease(slow);
  gate_delete(g);
  return 1;
}

struct pair {
  pacTask left, right;
};
static pacWord sum_of(pacWord pair) {
  const struct pair* p = (const struct pair*)pair;
  return pacWait(NULL, p->left) + pacWait(NULL, p->right);
}

static pacWord handles_are_values(void) {
  const struct pair p = {pacStart(f1, 30), pacVirtual(f1, 12)};
  struct pair copy;
  memcpy(&copy, &p, sizeof p);
  const pacTask first = pacVirtual(sum_of, &p), second = pacStart(sum_of, &copy);
  CHECK(pacWait(NULL, first) == 42 && pacWait(NULL, second) == 42);
  pacRelease(first);
  pacRelease(second);
  pacRelease(p.left);
  pacRelease(p.right);
  return 1;
}

/* Waits for a task whose handle it owns. */
static pacWord wait_and_release(pacWord task) { return result_of((pacTask)task); }

static pacWord references(void) {
  const pacTask t = pacVirtual(f1, 5);
  CHECK(pacKeep(t) == t);
  const pacTask owner = pacVirtual(wait_and_release, t);
  CHECK(result_of(owner) == 5);
  CHECK(pacWait(NULL, t) == 5); /* one is left */
  pacRelease(t);
  CHECK(pacKeep(NULL) == NULL);
  pacRelease(NULL);
  return 1;
}

/* --- waiting for one of several */

static pacWord one_of_several(void) {
  for (int quick = 0; quick < 3; ++quick) {
    struct gate* g = gate_new();
    pacTask all[3], from = NULL;
    for (int i = 0; i < 3; ++i) all[i] = i == quick ? pacVirtual(f1, i) : pacVirtual(through_a_gate, g, i);
    for (int times = 0; times < 3; ++times) { /* it stays */
      from = NULL;
      CHECK(pacWait(&from, all[0], all[1], all[2]) == quick && from == all[quick]);
      from = NULL;
      CHECK(pacWaitAny(&from, 3, all) == quick && from == all[quick]);
      CHECK(pacWaitAny(NULL, 3, all) == quick);
    }
    gate_open(g);
    for (int i = 0; i < 3; ++i) CHECK(pacWait(NULL, all[i]) == i);
    CHECK(pacWait(&from, all[2], all[1], all[0]) == 2 && from == all[2]); /* the first that has ended */
    const pacTask last = all[2];
    CHECK(pacWaitAny(&all[2], 3, all) == 0 && all[2] == all[0]);
    pacRelease(all[0]);
    pacRelease(all[1]);
    pacRelease(last);
    gate_delete(g);
  }
  return 1;
}

struct both {
  pacTask tasks[2];
  pacTask from;
};
static void* thread_that_waits_for_any(void* argument) {
  struct both* b = (struct both*)argument;
  return (void*)pacWaitAny(&b->from, 2, b->tasks);
}

static pacWord a_thread_waits_for_one_of_several(void) {
  struct gate *first = gate_new(), *second = gate_new();
  struct both b = {{pacVirtual(through_a_gate, first, 1), pacVirtual(through_a_gate, second, 2)}, NULL};
  pthread_t thread;
  void* seen;
  CHECK(pthread_create(&thread, NULL, thread_that_waits_for_any, &b) == 0);
  gate_open(second);
  CHECK(pacWait(NULL, b.tasks[1]) == 2);
  CHECK(pthread_join(thread, &seen) == 0 && (pacWord)seen == 2 && b.from == b.tasks[1]);
  gate_open(first);
  for (int i = 0; i < 2; ++i) CHECK(result_of(b.tasks[i]) == i + 1);
  gate_delete(first);
  gate_delete(second);
  return 1;
}

static pacTask the_same(pacTask t, int* calls) {
  ++*calls;
  return t;
}

static pacWord arguments_are_evaluated_once(void) {
  int calls = 0;
  pacWord value = 0;
  const pacTask t = pacVirtual(f1, ++calls);
  CHECK(calls == 1);
  CHECK(pacWait(NULL, the_same(t, &calls)) == 1 && calls == 2);
  CHECK(pacWaitFor(INT64_MAX, &value, NULL, the_same(t, &calls), t) == 1 && value == 1 && calls == 3);
  CHECK(pacWait(NULL, pacKeep(t)) == pacWait(NULL, t));
  pacRelease(t);
  pacRelease(t);
  return 1;
}

/* --- time, and whether it has ended */

static pacWord with_a_limit(void) {
  struct gate* g = gate_new();
  const pacTask slow = pacVirtual(through_a_gate, g, 1), other = pacVirtual(through_a_gate, g, 2);
  pacTask from = NULL;
  pacWord value = -1;
  const int64_t none_ends_in[] = {0, -1, INT64_MIN, 1, 1000000};
  for (size_t i = 0; i < sizeof none_ends_in / sizeof *none_ends_in; ++i) {
    CHECK(pacWaitFor(none_ends_in[i], &value, &from, slow) == 0);
    CHECK(pacWaitFor(none_ends_in[i], &value, &from, slow, other) == 0);
    CHECK(value == -1 && from == NULL);
    CHECK(pacDone(slow) == 0);
  }
  gate_open(g);
  CHECK(pacWaitFor(INT64_MAX, &value, &from, other) == 1 && value == 2 && from == other);
  CHECK(pacWaitFor(INT64_MAX - 1, &value, &from, slow) == 1 && value == 1 && from == slow);
  CHECK(pacDone(slow) == 1 && pacDone(other) == 1);
  CHECK(pacWaitFor(0, &value, &from, other, slow) == 1 && value == 2 && from == other);
  CHECK(pacWaitFor(INT64_MIN, NULL, NULL, slow) == 1);
  const pacTask quick = pacVirtual(f1, 3);
  CHECK(pacWaitFor(INT64_MAX, &value, NULL, quick) == 1 && value == 3);
  pacRelease(slow);
  pacRelease(other);
  pacRelease(quick);
  gate_delete(g);
  return 1;
}

/* --- many */

static pacWord many(void) {
  const long n = sized(100000, 5000);
  pacTask* all = (pacTask*)malloc((size_t)n * sizeof *all);
  pacWord sum = 0;
  CHECK(all != NULL);
  for (long i = 0; i < n; ++i) CHECK((all[i] = pacVirtual(f1, i)) != NULL);
  for (long i = 0; i < n; ++i) sum += result_of(all[i]);
  CHECK(sum == n / 2 * (n - 1));
  free(all);
  return 1;
}

static pacWord fib(pacWord n) {
  if (n < 2) return n;
  const pacTask t = pacVirtual(fib, n - 1);
  const pacWord right = fib(n - 2);
  return result_of(t) + right;
}
static pacWord divide_and_conquer(void) {
  CHECK(fib(20) == 6765);
  return 1;
}

static pacWord nested(pacWord depth) {
  return depth == 0
             ? 0
             : 1 + result_of(depth % 2 == 0 ? pacVirtual(nested, depth - 1) : pacStart(nested, depth - 1));
}
static pacWord deep_waits(void) {
  const pacWord depth = sized(10000, 500);
  CHECK(nested(depth) == depth);
  return 1;
}

/* --- runs */

static pacWord mark(pacWord place) { return *(int*)place = 1; }
enum { marks = 1000 };
static int marked[marks];

static pacWord make_and_forget(void) {
  for (int i = 0; i < marks; ++i)
    pacRelease(i % 10 == 0 ? pacStart(mark, &marked[i]) : pacVirtual(mark, &marked[i]));
  return 1;
}

static void what_nobody_waits_for_runs_before_the_end(void) {
  const char* workers[] = {"1", "2", "8", "64"};
  for (int w = 0; w < 4; ++w) {
    memset(marked, 0, sizeof marked);
    run_on(workers[w], make_and_forget);
    for (int i = 0; i < marks; ++i) CHECK(marked[i] == 1);
  }
}

static pacTask kept;
static pacWord keep_one(pacWord v) {
  kept = pacVirtual(f1, v);
  return INTPTR_MIN;
}

static void a_result_outlives_the_run(void) {
  pacTask from = NULL;
  errno = EDOM;
  CHECK(pacRun(NULL, NULL, keep_one, 11) == INTPTR_MIN);
  CHECK(errno == EDOM);
  CHECK(pacDone(kept) == 1);
  CHECK(pacWait(&from, kept) == 11 && from == kept);
  CHECK(pacWaitFor(INT64_MAX, NULL, NULL, kept, kept) == 1);
  pacRelease(kept);
}

static pacWord change_errno(void) {
  errno = ERANGE;
  return 1;
}
static void a_run_leaves_errno_alone(void) {
  errno = EDOM;
  run_on("1", change_errno); /* on this thread */
  CHECK(errno == EDOM);
}

static void main_task_with_words(void) {
  CHECK(pacRun(NULL, NULL, f0) == 42);
  CHECK(pacRun(NULL, NULL, f8, 1, 2, 3, 4, 5, 6, 7, 8) == 12345678);
}

static void* thread_that_makes(void* over) {
  const pacTask started = pacStart(f1, 1), made = pacVirtual(f2, 1, 2);
  pacTask from = NULL;
  CHECK(pacWait(&from, started, made) == (from == started ? 1 : 12));
  CHECK(result_of(made) == 12);
  CHECK(result_of(started) == 1);
  gate_open((struct gate*)over);
  return NULL;
}
/* Waits in gates before it joins: to join would block the worker that is to run the threads' tasks. */
static void make_on_threads(void) {
  enum { n = 4 };
  pthread_t threads[n];
  struct gate* over[n];
  for (int i = 0; i < n; ++i) {
    over[i] = gate_new();
    CHECK(pthread_create(&threads[i], NULL, thread_that_makes, over[i]) == 0);
  }
  for (int i = 0; i < n; ++i) {
    gate_wait(over[i]);
    CHECK(pthread_join(threads[i], NULL) == 0);
    gate_delete(over[i]);
  }
}
static pacWord threads_make_tasks(void) {
  make_on_threads();
  return 1;
}

static void a_run_without_a_main_task(void) {
  for (int i = 0; i < 3; ++i) {
    errno = EDOM;
    CHECK(pacInitialize(NULL, NULL) == 0 && errno == EDOM);
    CHECK(result_of(pacVirtual(f1, i)) == i);
    CHECK(result_of(pacStart(f1, i)) == i);
    make_on_threads();
    marked[0] = 0;
    pacRelease(pacVirtual(mark, &marked[0]));
    pacFinalize();
    CHECK(marked[0] == 1);
  }
  char name[] = "test", option[] = "--hk-workers=3";
  char* argv[] = {name, option, NULL};
  int argc = 2;
  CHECK(pacInitialize(&argc, argv) == 0 && argc == 1 && argv[1] == NULL);
  CHECK(workers_now() == 3);
  pacFinalize();
}

int main(void) {
  run_on_all(any_number_of_words);
  run_on_all(what_fits_a_word);
  run_on_all(words_in_an_array);
  run_on_all(any_number_of_waiters);
  run_on_all(handles_are_values);
  run_on_all(references);
  run_on_all(one_of_several);
  run_on_all(a_thread_waits_for_one_of_several);
  run_on_all(arguments_are_evaluated_once);
  run_on_all(with_a_limit);
  run_on_all(many);
  run_on_all(divide_and_conquer);
  run_on_all(deep_waits);
  run_on_all(threads_make_tasks);
  what_nobody_waits_for_runs_before_the_end();
  a_result_outlives_the_run();
  a_run_leaves_errno_alone();
  main_task_with_words();
  a_run_without_a_main_task();
  return 0;
}

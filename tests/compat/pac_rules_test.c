/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The four rules by which a virtual task becomes real, from C, by the counters. */
#include "check.h"

static pacWord same(pacWord v) { return v; }

/* What has been counted since `before` is: of the virtual tasks, so many made, run by their waiter, given a
   stack, and run by an idle or a finishing one. */
static void expect(struct counts before, uint64_t spawned, uint64_t inlined, uint64_t realised,
                   uint64_t adopted) {
  const struct counts c = counts_since(before);
  if (c.spawned == spawned && c.inlined == inlined && c.realised == realised && c.adopted == adopted) return;
  fprintf(stderr, "spawned %d, inlined %d, realised %d, adopted %d; should be %d, %d, %d, %d\n",
          (int)c.spawned, (int)c.inlined, (int)c.realised, (int)c.adopted, (int)spawned, (int)inlined,
          (int)realised, (int)adopted);
  _Exit(1);
}
static struct counts now(void) {
  const struct counts nothing = {0, 0, 0, 0, 0, 0};
  return counts_since(nothing);
}

/* One worker: nobody else takes a task. */
static pacWord a_wait_for_one_runs_it(void) {
  const struct counts before = now();
  for (int i = 0; i < 10; ++i) {
    const pacTask t = pacVirtual(same, i);
    CHECK(pacDone(t) == 0);
    CHECK(pacWait(NULL, t) == i);
    CHECK(pacWait(NULL, t) == i);
    pacRelease(t);
  }
  expect(before, 10, 10, 0, 0);
  CHECK(counts_since(before).started == 0);
  return 1;
}

static pacWord a_wait_for_several_makes_them_real(void) {
  const struct counts before = now();
  pacTask all[5];
  for (int i = 0; i < 5; ++i) all[i] = pacVirtual(same, i);
  const pacWord first = pacWaitAny(NULL, 5, all);
  CHECK(0 <= first && first < 5);
  expect(before, 5, 0, 5, 0);
  for (int i = 0; i < 5; ++i) CHECK(pacWait(NULL, all[i]) == i);
  expect(before, 5, 0, 5, 0);
  for (int i = 0; i < 5; ++i) pacRelease(all[i]);
  return 1;
}

static pacWord a_wait_with_a_limit_makes_it_real(void) {
  const struct counts before = now();
  const pacTask t = pacVirtual(same, 1);
  CHECK(pacWaitFor(0, NULL, NULL, t) == 0); /* a look is no wait */
  expect(before, 1, 0, 0, 0);
  CHECK(pacWaitFor((int64_t)3600 * 1000000000, NULL, NULL, t) == 1);
  expect(before, 1, 0, 1, 0);
  const pacTask without = pacVirtual(same, 1);
  CHECK(pacWaitFor(INT64_MAX, NULL, NULL, without) == 1); /* no limit: as pacWait */
  expect(before, 2, 1, 1, 0);
  pacRelease(without);
  pacRelease(t);
  return 1;
}

static pacWord one_that_has_ended_is_enough(void) {
  const pacTask ended = pacStart(same, 1);
  CHECK(pacWait(NULL, ended) == 1);
  const struct counts before = now();
  const pacTask t = pacVirtual(same, 2);
  CHECK(pacWait(NULL, t, ended) == 1);
  expect(before, 1, 0, 0, 0); /* nobody blocked, so it is still virtual */
  CHECK(pacWait(NULL, t) == 2);
  expect(before, 1, 1, 0, 0);
  pacRelease(t);
  pacRelease(ended);
  return 1;
}

static pacWord open_gate(pacWord g) {
  gate_open((struct gate*)g);
  return 0;
}

static pacWord an_idle_worker_takes_one(void) {
  const struct counts before = now();
  struct gate* g = gate_new();
  const pacTask t = pacVirtual(open_gate, g);
  gate_wait(g); /* nothing else can run now */
  expect(before, 1, 0, 0, 1);
  CHECK(pacWait(NULL, t) == 0);
  expect(before, 1, 0, 0, 1);
  pacRelease(t);
  gate_delete(g);
  return 1;
}

static pacWord make_ten(void) {
  for (int i = 0; i < 10; ++i) pacRelease(pacVirtual(same, i));
  return 1;
}

/* The main task's stack runs them when it is done with the main task. */
static void a_task_that_ends_takes_another(void) {
  const struct counts before = now();
  run_on("1", make_ten);
  expect(before, 10, 0, 0, 10);
  CHECK(counts_since(before).started == 1 && counts_since(before).finished == 11);
}

static pacWord fib(pacWord n) {
  if (n < 2) return n;
  const pacTask t = pacVirtual(fib, n - 1);
  const pacWord right = fib(n - 2), left = pacWait(NULL, t);
  pacRelease(t);
  return left + right;
}
static pacWord tree(void) {
  CHECK(fib(18) == 2584);
  return 1;
}

/* Whoever runs them: each is run once, in one of the three ways. */
static void each_virtual_task_is_counted_once(const char* workers) {
  const struct counts before = now();
  run_on(workers, tree);
  const struct counts c = counts_since(before);
  CHECK(c.spawned == 4180); /* fib(n) makes one and those of fib(n - 1) and fib(n - 2) */
  CHECK(c.inlined + c.realised + c.adopted == c.spawned);
  CHECK(c.started == 1 && c.finished == c.spawned + 1);
}

static pacWord real_ones(void) {
  const struct counts before = now();
  for (int i = 0; i < 10; ++i) {
    const pacTask t = pacStart(same, i);
    CHECK(pacWait(NULL, t) == i);
    pacRelease(t);
  }
  expect(before, 0, 0, 0, 0);
  CHECK(counts_since(before).started == 10);
  return 1;
}

int main(void) {
  run_on("1", a_wait_for_one_runs_it);
  run_on("1", a_wait_for_several_makes_them_real);
  run_on("1", a_wait_with_a_limit_makes_it_real);
  run_on("1", one_that_has_ended_is_enough);
  run_on("1", an_idle_worker_takes_one);
  a_task_that_ends_takes_another();
  each_virtual_task_is_counted_once("1");
  each_virtual_task_is_counted_once("2");
  each_virtual_task_is_counted_once("8");
  run_on_all(real_ones);
  return 0;
}

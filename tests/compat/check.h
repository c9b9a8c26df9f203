/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What the tests in C share: a check that ends the program, and runs over several numbers of workers. */
#pragma once
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <hocket/compat/pac.h>

/* CHECK(condition) ends the program with 1, and says where, if it does not hold. Any thread or task. */
#define CHECK(condition) check_that((condition) != 0, #condition, __FILE__, __LINE__)
static inline void check_that(int holds, const char* condition, const char* file, int line) {
  if (holds) return;
  fprintf(stderr, "%s:%d: this does not hold: %s\n", file, line, condition);
  _Exit(1);
}

/* Runs the test as main task on so many workers; it returns 1. */
static inline void run_on(const char* workers, pacWord (*test)(void)) {
  char name[] = "test", option[] = "--hk-workers", value[16], rest[] = "rest";
  char* argv[] = {name, option, value, rest, NULL};
  int argc = 4;
  snprintf(value, sizeof value, "%s", workers);
  CHECK(pacRun(&argc, argv, test) == 1);
  CHECK(argc == 2 && argv[0] == name && argv[1] == rest && argv[2] == NULL);
}

/* On 1, 2, 8 and 64 workers. */
static inline void run_on_all(pacWord (*test)(void)) {
  run_on("1", test);
  run_on("2", test);
  run_on("8", test);
  run_on("64", test);
}

/* --- from helpers.cpp */
#ifdef __cplusplus
extern "C" {
#endif
/* A gate that lets go all who wait in it once it is opened. */
struct gate;
struct gate* gate_new(void);
void gate_wait(struct gate*);
void gate_open(struct gate*);
void gate_delete(struct gate*);

/* The counters of the process: see hocket/stats.hpp. */
struct counts {
  uint64_t spawned, started, finished, realised, inlined, adopted;
};
struct counts counts_since(struct counts before); /* {0}: since the beginning */

unsigned workers_now(void);
/* Sizes: as asked in plain builds, smaller where a checker makes everything ten times slower. */
long sized(long plain, long checked);
/* A task's function that does what none may: an exception leaves it. */
pacWord throwing(void);
/* Begins a task of C++ whose exception comes out of the run. */
pacWord begin_throwing(void);
#ifdef __cplusplus
}
#endif

/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Misuse ends the program with a sentence; what can fail without it is told by null handles and errno. Each
   case is a process of its own. */
#define _POSIX_C_SOURCE 200809L
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"

static pacWord same(pacWord v) { return v; }
static pacWord zero(void) { return 0; }

/* --- what is done wrong; each in a run of its own, if it begins with "in_run_" */

static pacWord in_run_wait_for_null(void) { return pacWait(NULL, (pacTask)NULL); }
static pacWord in_run_wait_for_one_that_is_null(void) {
  const pacTask t = pacVirtual(same, 1);
  return pacWait(NULL, t, (pacTask)NULL, t);
}
static pacWord in_run_wait_for_none(void) { return pacWaitAny(NULL, 0, (const pacTask*)""); }
static pacWord in_run_wait_for_no_list(void) { return pacWaitAny(NULL, 1, NULL); }
static pacWord in_run_wait_for_null_with_a_limit(void) { return pacWaitFor(1, NULL, NULL, (pacTask)NULL); }
static pacWord in_run_done_of_null(void) { return pacDone(NULL); }
static pacWord in_run_start_null(void) { return (pacWord)pacStartWords(NULL, 0, NULL); }
static pacWord in_run_no_words(void) { return (pacWord)pacVirtualWords((pacFunction)same, 1, NULL); }
static pacWord in_run_nine_words(void) {
  const pacWord words[9] = {0};
  return (pacWord)pacVirtualWords((pacFunction)same, 9, words);
}
static pacWord in_run_run(void) { return pacRun(NULL, NULL, zero); }
static pacWord in_run_initialize(void) { return pacInitialize(NULL, NULL); }
static pacWord in_run_finalize(void) {
  pacFinalize();
  return 0;
}
static pacWord in_run_throw(void) { return pacWait(NULL, pacVirtual(throwing)); }

static pacWord start_outside(void) { return (pacWord)pacStart(same, 1); }
static pacWord virtual_outside(void) { return (pacWord)pacVirtual(same, 1); }
static pacWord finalize_only(void) { return in_run_finalize(); }
static pacWord argc_without_argv(void) {
  int argc = 1;
  return pacRun(&argc, NULL, zero);
}
static pacWord main_task_throws(void) { return pacRun(NULL, NULL, throwing); }
static pacWord detached_task_throws(void) { return pacRun(NULL, NULL, begin_throwing); }

/* --- what fails */

static pacWord with_option(char* option, pacWord (*f)(void)) {
  char name[] = "test";
  char* argv[] = {name, option, NULL};
  int argc = 2;
  return pacRun(&argc, argv, f);
}
static pacWord a_bad_option(void) {
  char option[] = "--hk-workers=none";
  errno = 0;
  CHECK(with_option(option, zero) == 2 && errno == EINVAL);
  CHECK(with_option(option, zero) == 2); /* and may be called again */
  CHECK(pacRun(NULL, NULL, same, 5) == 5);
  return 0;
}
static pacWord a_bad_option_of_initialize(void) {
  char name[] = "test", option[] = "--hk-workers=none";
  char* argv[] = {name, option, NULL};
  int argc = 2;
  errno = 0;
  CHECK(pacInitialize(&argc, argv) == -1 && errno == EINVAL);
  CHECK(pacInitialize(NULL, NULL) == 0);
  pacFinalize();
  return 0;
}

/* With stacks so large, few fit into the address space that is left, or none. A checker needs more of it. */
static void leave_address_space(unsigned long gigabytes) {
  struct rlimit limit;
  CHECK(getrlimit(RLIMIT_AS, &limit) == 0);
  limit.rlim_cur = (rlim_t)gigabytes << 30;
  CHECK(setrlimit(RLIMIT_AS, &limit) == 0);
}
static char large_stacks[] = "--hk-stack-size=32G";

static pacWord no_memory_to_begin_a_run(void) {
  leave_address_space(16);
  errno = 0;
  CHECK(with_option(large_stacks, zero) == 1 && errno == ENOMEM);
  CHECK(pacRun(NULL, NULL, same, 5) == 5); /* but with usual ones */
  return 0;
}

static pacWord start_until_null(void) {
  int made = 0;
  errno = 0;
  for (pacTask t; (t = pacStart(same, made)) != NULL; ++made) pacRelease(t);
  CHECK(errno == ENOMEM);
  CHECK(0 < made && made < 16);
  const pacTask t = pacVirtual(same, 7); /* needs no stack */
  CHECK(t != NULL && pacDone(t) == 0);
  pacRelease(t);
  return 0;
}
static pacWord no_memory_for_a_stack(void) {
  leave_address_space(512);
  char name[] = "test", one_worker[] = "--hk-workers=1";
  char* argv[] = {name, large_stacks, one_worker, NULL};
  int argc = 3;
  return pacRun(&argc, argv, start_until_null);
}

/* --- each in a process of its own */

/* What the process that calls f in a run, or not, says; its status goes to *status. */
static const char* said_by(pacWord (*f)(void), int in_run, int* status) {
  static char text[10000];
  int ends[2];
  CHECK(pipe(ends) == 0);
  const pid_t child = fork();
  CHECK(child >= 0);
  if (child == 0) {
    const struct rlimit none = {0, 0};
    setrlimit(RLIMIT_CORE, &none);
    dup2(ends[1], STDERR_FILENO);
    close(ends[0]);
    _exit((int)(in_run ? pacRun(NULL, NULL, f) : f()));
  }
  close(ends[1]);
  size_t length = 0;
  for (ssize_t n; (n = read(ends[0], text + length, sizeof text - 1 - length)) > 0;) length += (size_t)n;
  text[length] = 0;
  close(ends[0]);
  CHECK(waitpid(child, status, 0) == child);
  return text;
}

/* An emulator says, too, that the process was aborted, and has no address space of its own to limit. */
static int emulated(void) { return getenv("HOCKET_EMULATED") != NULL; }

/* The whole of what is said is the sentence; the process is aborted. */
static void refused(pacWord (*f)(void), int in_run, const char* sentence) {
  int status = 0;
  const char* said = said_by(f, in_run, &status);
  const size_t length = strlen(sentence);
  const int right = strncmp(said, sentence, length) == 0 && said[length] == '\n';
  if (!right) fprintf(stderr, "said:      %sshould be: %s\n", said, sentence);
  CHECK(right && (said[length + 1] == 0 || emulated()));
  CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
}

static void passes(pacWord (*f)(void), const char* says) {
  int status = 0;
  const char* said = said_by(f, 0, &status);
  if (strstr(said, says) == NULL || !WIFEXITED(status) || WEXITSTATUS(status) != 0)
    fprintf(stderr, "status %x, said: %s\n", status, said);
  CHECK(strstr(said, says) != NULL);
  CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

int main(void) {
  refused(in_run_wait_for_null, 1,
          "hocket: pacWait: task 1 of 1 is null: it was never made, or there was no memory for it");
  refused(in_run_wait_for_one_that_is_null, 1,
          "hocket: pacWait: task 2 of 3 is null: it was never made, or there was no memory for it");
  refused(in_run_wait_for_null_with_a_limit, 1,
          "hocket: pacWaitFor: task 1 of 1 is null: it was never made, or there was no memory for it");
  refused(in_run_done_of_null, 1,
          "hocket: pacDone: task 1 of 1 is null: it was never made, or there was no memory for it");
  refused(in_run_wait_for_none, 1, "hocket: pacWait: no task was given to wait for; give at least one");
  refused(in_run_wait_for_no_list, 1, "hocket: pacWait: no task was given to wait for; give at least one");
  refused(in_run_start_null, 1,
          "hocket: pacStart: the function is null; give one that takes and returns words");
  refused(in_run_no_words, 1, "hocket: pacVirtual: the array of words is null");
  refused(in_run_nine_words, 1,
          "hocket: pacVirtual: 9 words were given; a task takes at most 8: pass a pointer to a structure");
  refused(in_run_run, 1,
          "hocket: pacRun: run() or initialize() was called while a run goes on; call it when that one has "
          "ended");
  refused(
      in_run_initialize, 1,
      "hocket: pacInitialize: run() or initialize() was called while a run goes on; call it when that one "
      "has ended");
  refused(in_run_finalize, 1,
          "hocket: pacFinalize: finalize() was called by a task, for whose end it would wait; call it from a "
          "thread that is none");
  refused(in_run_throw, 1,
          "hocket: an exception left a task's function, which C cannot receive: thrown by a task's function");
  refused(main_task_throws, 0,
          "hocket: an exception left a task's function, which C cannot receive: thrown by a task's function");
  refused(detached_task_throws, 0, "hocket: pacRun: thrown by a detached task");
  const char* outside =
      "no run goes on; call it inside pacRun(), or between pacInitialize() and pacFinalize()";
  char sentence[200];
  snprintf(sentence, sizeof sentence, "hocket: pacStart: %s", outside);
  refused(start_outside, 0, sentence);
  snprintf(sentence, sizeof sentence, "hocket: pacVirtual: %s", outside);
  refused(virtual_outside, 0, sentence);
  refused(finalize_only, 0, "hocket: pacFinalize: there was no pacInitialize() before it; call each once");
  refused(argc_without_argv, 0, "hocket: pacRun: argc was given without argv; give both, or null for both");

  passes(a_bad_option, "hocket: --hk-workers");
  passes(a_bad_option_of_initialize, "hocket: --hk-workers");
  if (sized(1, 0) == 1 && !emulated()) {
    passes(no_memory_to_begin_a_run, "hocket: no address space for a chunk of stacks");
    passes(no_memory_for_a_stack, "");
  }
  return 0;
}

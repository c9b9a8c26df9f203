// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The signal handler that names the task whose stack overflowed.
#include "context/overflow.hpp"

#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <mutex>

#include "context/stack_arena.hpp"

namespace hocket::detail {
namespace {

constexpr std::size_t signal_stack_bytes = 64 * 1024;
describe_stack describe;
struct sigaction previous_segv, previous_bus;

/// Text put together without anything that a signal handler may not call.
struct message {
  char text[512];
  std::size_t length = 0;
  void add(const char* s) {
    for (; *s != '\0' && length < sizeof text; ++s) text[length++] = *s;
  }
  void add(std::size_t n) {
    char digits[24];
    char* p = digits + sizeof digits;
    *--p = '\0';
    do {
      *--p = static_cast<char>('0' + n % 10);
      n /= 10;
    } while (n != 0);
    add(p);
  }
};

void on_fault(int signal, siginfo_t* info, void* machine_context) {
  char* area = info->si_code > 0 ? guarded_area(info->si_addr) : nullptr;
  if (area != nullptr) {
    const overflow_report r = describe(area);
    message m;
    m.add("hocket: stack overflow in task '");
    m.add(r.task_name);
    m.add("': its stack of ");
    m.add(r.stack_bytes);
    m.add(" bytes is full; give this task more (task_attributes::stack_size) or all tasks (--hk-stack-size ");
    m.add(r.stack_bytes * 2);
    m.add(" or HOCKET_STACK_SIZE)\n");
    [[maybe_unused]] const auto written = write(STDERR_FILENO, m.text, m.length);
    ::signal(signal, SIG_DFL);  // the access repeats and ends the process, with a core if one is wanted
    return;
  }
  const struct sigaction& old = signal == SIGSEGV ? previous_segv : previous_bus;
  if ((old.sa_flags & SA_SIGINFO) != 0) {
    old.sa_sigaction(signal, info, machine_context);
  } else if (old.sa_handler != SIG_DFL && old.sa_handler != SIG_IGN) {
    old.sa_handler(signal);
  } else if (info->si_code > 0 || old.sa_handler == SIG_DFL) {
    ::signal(signal, SIG_DFL);              // a fault repeats, and ends the process
    if (info->si_code <= 0) raise(signal);  // a signal that was sent is sent again
  }
}

}  // namespace

void install_overflow_handler(describe_stack d) {
  static std::once_flag once;
  std::call_once(once, [d] {
    describe = d;
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_sigaction = on_fault;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK;
    sigaction(SIGSEGV, &action, &previous_segv);
    sigaction(SIGBUS, &action, &previous_bus);
  });
}

signal_stack::signal_stack() {
  stack_t old;
  if (sigaltstack(nullptr, &old) == 0 && (old.ss_flags & SS_DISABLE) == 0) return;  // the thread has one
  void* p = mmap(nullptr, signal_stack_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (p == MAP_FAILED) return;
  const stack_t mine{p, 0, signal_stack_bytes};
  if (sigaltstack(&mine, nullptr) == 0) {
    memory_ = p;
  } else {
    munmap(p, signal_stack_bytes);
  }
}

signal_stack::~signal_stack() {
  if (memory_ == nullptr) return;
  stack_t off{};
  off.ss_flags = SS_DISABLE;
  sigaltstack(&off, nullptr);
  munmap(memory_, signal_stack_bytes);
}

}  // namespace hocket::detail

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Backtraces without libdw: the address at which the task will go on.
#include <dlfcn.h>

#include <cstdio>
#include <cstring>

#include "context/saved_registers.hpp"
#include "sched/backtrace.hpp"

namespace hocket::detail {

struct backtracer::state {};

backtracer::backtracer() = default;
backtracer::~backtracer() = default;

std::vector<stack_frame> backtracer::walk(const stack_copy& copy, std::size_t) {
  saved_registers r;
  if (!read_saved_registers(copy.sp, copy.bytes.data(), copy.bytes.size(), r)) return {};
  stack_frame f;
  char text[64];
  Dl_info info{};
  const void* pc = reinterpret_cast<void*>(r.pc);
  if (dladdr(pc, &info) != 0 && info.dli_fname != nullptr) {
    const char* file = std::strrchr(info.dli_fname, '/');
    const auto offset =
        static_cast<std::size_t>(static_cast<const char*>(pc) - static_cast<char*>(info.dli_fbase));
    std::snprintf(text, sizeof text, "+0x%zx", offset);
    f.place = std::string(file == nullptr ? info.dli_fname : file + 1) + text;
  }
  if (info.dli_sname != nullptr) name_function(info.dli_sname, f);
  return {f};
}

std::string backtracer::function_at(const void* code) {
  stack_frame f;
  Dl_info info{};
  if (dladdr(code, &info) != 0 && info.dli_sname != nullptr) name_function(info.dli_sname, f);
  return f.library ? std::string() : f.function;
}

const char* backtracer::lacks() {
  return layout_of_saved_registers.size != 0
             ? "this library was built without elfutils; with libdw-dev it shows where each task waits"
             : "with this context switch (Boost.Context) it is not known where a task waits";
}

}  // namespace hocket::detail

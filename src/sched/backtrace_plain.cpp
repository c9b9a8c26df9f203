// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Backtraces without libdw: which code a task began with, and where it will go on.
#include <dlfcn.h>

#include <cstdio>
#include <cstring>

#include "context/saved_registers.hpp"
#include "sched/backtrace.hpp"

namespace hocket::detail {
namespace {

/// "program+0x1234", for addr2line.
std::string place_of(const void* code, const Dl_info& info) {
  if (info.dli_fname == nullptr) return {};
  const char* slash = std::strrchr(info.dli_fname, '/');
  char text[32];
  std::snprintf(
      text, sizeof text, "+0x%zx",
      static_cast<std::size_t>(static_cast<const char*>(code) - static_cast<char*>(info.dli_fbase)));
  return std::string(slash == nullptr ? info.dli_fname : slash + 1) + text;
}

}  // namespace

struct backtracer::state {};

backtracer::backtracer() = default;
backtracer::~backtracer() = default;

std::vector<stack_frame> backtracer::walk(const stack_copy& copy, std::size_t) {
  saved_registers r;
  if (!read_saved_registers(copy.sp, copy.bytes.data(), copy.bytes.size(), r)) return {};
  stack_frame f;
  Dl_info info{};
  const void* pc = reinterpret_cast<void*>(r.pc);
  if (dladdr(pc, &info) == 0) return {};
  f.place = place_of(pc, info);
  if (info.dli_sname != nullptr) name_function(info.dli_sname, f);
  return {f};
}

std::string backtracer::function_at(const void* code) {
  stack_frame f;
  Dl_info info{};
  if (dladdr(code, &info) == 0) return {};
  if (info.dli_sname != nullptr) {
    name_function(info.dli_sname, f);
  } else {
    f.function = "the function at " + place_of(code, info);
  }
  return f.library ? std::string() : f.function;
}

const char* backtracer::lacks() {
  return layout_of_saved_registers.size != 0
             ? "this library was built without elfutils; with libdw-dev it shows where each task waits"
             : "with this context switch (Boost.Context) it is not known where a task waits";
}

}  // namespace hocket::detail

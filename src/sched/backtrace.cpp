// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The part of backtraces that needs no library: copies of stacks, and names.
#include "sched/backtrace.hpp"

#include <cxxabi.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include "sched/careful_copy.hpp"
#include "sched/real_task.hpp"

namespace hocket::detail {
namespace {

constexpr std::size_t most_copied = std::size_t{1} << 20;  // of a deep stack; the innermost frames lie first

/// The first template argument in a demangled name.
std::string first_argument(std::string_view name) {
  const std::size_t from = name.find('<');
  if (from == std::string_view::npos) return {};
  int depth = 0;
  for (std::size_t i = from + 1; i < name.size(); ++i) {
    const char c = name[i];
    if (depth == 0 && (c == ',' || c == '>')) return std::string(name.substr(from + 1, i - from - 1));
    if (c == '<' || c == '(' || c == '{') ++depth;
    if (c == '>' || c == ')' || c == '}') --depth;
  }
  return {};
}

/// Whether a linker's name is the library's or the standard library's. The demangled one may begin with the
/// type that the function returns.
bool is_library(std::string_view name) {
  for (const std::string_view start : {"hocket_", "__cxa", "__gthread", "start_thread", "clone"}) {
    if (name.starts_with(start)) return true;
  }
  if (!name.starts_with("_Z")) return false;
  name.remove_prefix(2);
  // Nested and local names, qualifiers: _ZN.., _ZNK.., _ZZN..
  name.remove_prefix(std::min(name.find_first_not_of("NZKVRO"), name.size()));
  for (const std::string_view start : {"6hocket", "St", "Sa", "Ss", "9__gnu_cxx", "10__cxxabiv1"}) {
    if (name.starts_with(start)) return true;
  }
  return false;
}

}  // namespace

bool copy_stack(const real_task* t, stack_copy& copy) {
  void* sp;
  if (!copy_object(sp, &t->saved.sp)) return false;
  const auto from = reinterpret_cast<std::uintptr_t>(sp), top = reinterpret_cast<std::uintptr_t>(t);
  if (from >= top || from < top - t->stack_bytes() - area_bytes) return false;
  copy.sp = from;
  copy.bytes.resize(std::min<std::size_t>(top - from, most_copied));
  if (!copy_memory(copy.bytes.data(), sp, copy.bytes.size())) return false;
  void* again;
  return copy_object(again, &t->saved.sp) && again == sp;
}

void name_function(const char* linkage, stack_frame& f) {
  f.library = is_library(linkage);
  f.function = linkage;
  if (std::strncmp(linkage, "_Z", 2) == 0) {
    if (char* plain = abi::__cxa_demangle(linkage, nullptr, nullptr, nullptr)) {
      f.function = plain;
      std::free(plain);
    }
  }
  // The record of a closure: the function in it is the program's, in-lined.
  constexpr std::string_view record = "_ZN6hocket6detail11task_recordI";
  if (std::string_view(linkage).starts_with(record)) {
    if (std::string closure = first_argument(f.function); !closure.empty()) {
      f.function = std::move(closure);
      f.library = false;
    }
  }
}

const stack_frame* own_frame(const std::vector<stack_frame>& frames) {
  for (const stack_frame& f : frames) {
    if (f.library && f.function.starts_with("hocket::detail::execute("))
      return nullptr;  // here the task begins
    if (!f.library && !f.function.empty()) return &f;
  }
  return nullptr;
}

}  // namespace hocket::detail

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Backtraces by elfutils' libdwfl: copies of stacks walked by the call frame information that every program
// has; names from symbol tables; files, lines and in-lined functions where there is debug information.
#include <dwarf.h>
#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "context/saved_registers.hpp"
#include "sched/backtrace.hpp"
#include "sched/careful_copy.hpp"

namespace hocket::detail {

struct backtracer::state {
  Dwfl* dwfl = nullptr;
  bool attached = false;
  const stack_copy* copy = nullptr;  // of the walk that goes on
  std::vector<stack_frame>* frames = nullptr;
  std::size_t most = 0;
};

namespace {

// What a walk asks of "the process": the copied stack first, else memory, carefully.
bool read_word(Dwfl*, Dwarf_Addr at, Dwarf_Word* result, void* argument) {
  const stack_copy& c = *static_cast<backtracer::state*>(argument)->copy;
  if (at >= c.sp && at - c.sp + sizeof *result <= c.bytes.size()) {
    std::memcpy(result, c.bytes.data() + (at - c.sp), sizeof *result);
    return true;
  }
  return copy_memory(result, reinterpret_cast<const void*>(at), sizeof *result);
}

pid_t next_thread(Dwfl*, void* argument, void** thread) {
  if (*thread != nullptr) return 0;
  *thread = argument;
  return getpid();
}

bool get_thread(Dwfl*, pid_t, void* argument, void** thread) {
  *thread = argument;
  return true;
}

bool set_registers(Dwfl_Thread* thread, void* argument) {
  const stack_copy& c = *static_cast<backtracer::state*>(argument)->copy;
  saved_registers r;
  if (!read_saved_registers(c.sp, c.bytes.data(), c.bytes.size(), r)) return false;
  for (unsigned i = 0; i < r.count; ++i) {
    const Dwarf_Word value = r.at[i].value;
    if (!dwfl_thread_state_registers(thread, static_cast<int>(r.at[i].number), 1, &value)) return false;
  }
  dwfl_thread_state_register_pc(thread, r.pc);
  return true;
}

/// Separate debug information by its build id, from the disk only: a report must not ask servers for it.
int find_debuginfo(Dwfl_Module* m, void** data, const char* name, Dwarf_Addr base, const char* file,
                   const char* link, GElf_Word crc, char** found) {
  return dwfl_build_id_find_debuginfo(m, data, name, base, file, link, crc, found);
}

const Dwfl_Callbacks finders{dwfl_linux_proc_find_elf, find_debuginfo, nullptr, nullptr};
const Dwfl_Thread_Callbacks of_a_task{next_thread, get_thread, read_word, set_registers, nullptr, nullptr};

const char* base_name(const char* path) {
  const char* slash = std::strrchr(path, '/');
  return slash == nullptr ? path : slash + 1;
}

std::string at_line(const char* file, int line) {
  return std::string(base_name(file)) + ":" + std::to_string(line);
}

const char* string_of(Dwarf_Die* die, unsigned name) {
  Dwarf_Attribute a;
  return dwarf_formstring(dwarf_attr_integrate(die, name, &a));
}

/// The namespaces around a function that has no linker's name, outermost first, each with its "::".
std::string namespaces_of(Dwarf_Die* inlined) {
  Dwarf_Attribute a;
  Dwarf_Die at = *inlined, next;
  for (const unsigned link : {DW_AT_abstract_origin, DW_AT_specification}) {
    if (dwarf_formref_die(dwarf_attr(&at, link, &a), &next) != nullptr) at = next;
  }
  std::string text;
  Dwarf_Die* around = nullptr;
  const int n = dwarf_getscopes_die(&at, &around);
  for (int i = 0; i < n; ++i) {
    if (dwarf_tag(&around[i]) != DW_TAG_namespace) continue;
    const char* name = dwarf_diename(&around[i]);
    text = std::string(name == nullptr ? "(anonymous namespace)" : name) + "::" + text;
  }
  std::free(around);
  return text;
}

/// Names an in-lined function; false if it has no name.
bool name_inlined(Dwarf_Die* die, stack_frame& f) {
  if (const char* linkage = string_of(die, DW_AT_linkage_name)) {
    name_function(linkage, f);
    return true;
  }
  const char* name = string_of(die, DW_AT_name);
  if (name == nullptr) return false;
  const std::string around = namespaces_of(die);
  f.library =
      around.starts_with("hocket::") || around.starts_with("std::") || around.starts_with("__gnu_cxx::");
  f.function =
      around + (std::strcmp(name, "operator()") == 0 ? "a lambda" : name);  // those have no more of a name
  return true;
}

/// The functions that were in-lined at pc, innermost first; `place` is where the innermost one is, and
/// becomes where the function is that they were in-lined into.
void add_inlined(Dwfl_Module* m, Dwarf_Addr pc, std::string& place, std::vector<stack_frame>& frames) {
  Dwarf_Addr bias;
  Dwarf_Die* unit = dwfl_module_addrdie(m, pc, &bias);
  Dwarf_Die* scopes = nullptr;
  const int n = unit == nullptr ? 0 : dwarf_getscopes(unit, pc - bias, &scopes);
  Dwarf_Files* files = nullptr;
  if (unit != nullptr) dwarf_getsrcfiles(unit, &files, nullptr);
  for (int i = 0; i < n; ++i) {
    const int tag = dwarf_tag(&scopes[i]);
    if (tag == DW_TAG_subprogram) break;
    if (tag != DW_TAG_inlined_subroutine) continue;
    stack_frame f;
    if (!name_inlined(&scopes[i], f)) continue;
    f.place = std::move(place);
    frames.push_back(std::move(f));
    Dwarf_Attribute a;
    Dwarf_Word file = 0, line = 0;
    dwarf_formudata(dwarf_attr(&scopes[i], DW_AT_call_file, &a), &file);
    dwarf_formudata(dwarf_attr(&scopes[i], DW_AT_call_line, &a), &line);
    const char* path = files == nullptr ? nullptr : dwarf_filesrc(files, file, nullptr, nullptr);
    place = path == nullptr ? std::string() : at_line(path, static_cast<int>(line));
  }
  std::free(scopes);
}

int add_frame(Dwfl_Frame* frame, void* argument) {
  auto& s = *static_cast<backtracer::state*>(argument);
  Dwarf_Addr pc;
  bool innermost;
  if (!dwfl_frame_pc(frame, &pc, &innermost)) return DWARF_CB_ABORT;
  if (!innermost) --pc;  // the call, not where it returns to
  stack_frame f;
  std::string place;
  if (Dwfl_Module* m = dwfl_addrmodule(s.dwfl, pc)) {
    if (Dwfl_Line* l = dwfl_module_getsrc(m, pc)) {
      int line = 0;
      const char* file = dwfl_lineinfo(l, nullptr, &line, nullptr, nullptr, nullptr);
      if (file != nullptr) place = at_line(file, line);
    }
    add_inlined(m, pc, place, *s.frames);
    GElf_Off offset = 0;
    GElf_Sym symbol;
    const char* name = dwfl_module_addrinfo(m, pc, &offset, &symbol, nullptr, nullptr, nullptr);
    if (name != nullptr) name_function(name, f);
    if (place.empty()) {
      Dwarf_Addr start = 0;
      const char* module = dwfl_module_info(m, nullptr, &start, nullptr, nullptr, nullptr, nullptr, nullptr);
      char text[32];
      std::snprintf(text, sizeof text, "+0x%llx", static_cast<unsigned long long>(pc - start));
      place = std::string(module == nullptr ? "?" : base_name(module)) + text;
    }
  }
  f.place = std::move(place);
  s.frames->push_back(std::move(f));
  return s.frames->size() < s.most ? DWARF_CB_OK : DWARF_CB_ABORT;
}

}  // namespace

backtracer::backtracer() : state_(std::make_unique<state>()) {
  Dwfl* d = state_->dwfl = dwfl_begin(&finders);
  if (d == nullptr) return;
  dwfl_report_begin(d);
  const bool reported = dwfl_linux_proc_report(d, getpid()) == 0;
  if (dwfl_report_end(d, nullptr, nullptr) != 0 || !reported) return;
  state_->attached = dwfl_attach_state(d, nullptr, getpid(), &of_a_task, state_.get());
}

backtracer::~backtracer() {
  if (state_->dwfl != nullptr) dwfl_end(state_->dwfl);
}

std::vector<stack_frame> backtracer::walk(const stack_copy& copy, std::size_t most) {
  std::vector<stack_frame> frames;
  if (!state_->attached) return frames;
  state_->copy = &copy;
  state_->frames = &frames;
  state_->most = most;
  dwfl_getthread_frames(state_->dwfl, getpid(), &add_frame,
                        state_.get());  // what there is, if it fails half-way
  return frames;
}

std::string backtracer::function_at(const void* code) {
  stack_frame f;
  const auto at = reinterpret_cast<Dwarf_Addr>(code);
  if (state_->dwfl == nullptr) return {};
  Dwfl_Module* m = dwfl_addrmodule(state_->dwfl, at);
  const char* name = m == nullptr ? nullptr : dwfl_module_addrname(m, at);
  if (name != nullptr) name_function(name, f);
  return f.library ? std::string() : f.function;
}

const char* backtracer::lacks() {
  return layout_of_saved_registers.size != 0
             ? nullptr
             : "with this context switch (Boost.Context) it is not known where a task waits";
}

}  // namespace hocket::detail

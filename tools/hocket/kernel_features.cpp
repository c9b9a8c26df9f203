// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Probes of kernel features: each makes the real call, because a container may refuse what the version
// promises.
#include "kernel_features.hpp"

#include <linux/membarrier.h>
#include <sys/mman.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>

namespace hocket::tool {
namespace {

constexpr int madvise_guard_install = 102;  // MADV_GUARD_INSTALL, younger than the C library's headers

std::string yes_or_why(bool works) {
  if (works) return "yes";
  return std::string("no (") + std::strerror(errno) + ")";
}

std::string first_line(const char* path) {
  std::ifstream file(path);
  std::string line;
  if (!std::getline(file, line)) return "unknown";
  return line;
}

std::string membarrier() {
  const long commands = syscall(SYS_membarrier, MEMBARRIER_CMD_QUERY, 0, 0);
  if (commands < 0) return yes_or_why(false);
  return (commands & MEMBARRIER_CMD_PRIVATE_EXPEDITED) != 0 ? "yes" : "no (not the expedited private one)";
}

std::string guard_install() {
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  void* memory = mmap(nullptr, page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return yes_or_why(false);
  const std::string answer = yes_or_why(madvise(memory, page, madvise_guard_install) == 0);
  munmap(memory, page);
  return answer;
}

std::string memory_file() {
  const int file = memfd_create("hocket-probe", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  const std::string answer = yes_or_why(file >= 0);
  if (file >= 0) close(file);
  return answer;
}

std::string read_other_process() {
  char from = 1;
  char to = 0;
  const iovec local{&to, 1};
  const iovec remote{&from, 1};
  return yes_or_why(process_vm_readv(getpid(), &local, 1, &remote, 1, 0) == 1 && to == 1);
}

std::string shared_memory_size() {
  struct statvfs info{};
  if (statvfs("/dev/shm", &info) != 0) return yes_or_why(false);
  return std::to_string((info.f_blocks * info.f_frsize) >> 20) + " MiB";
}

}  // namespace

std::vector<feature> kernel_features() {
  return {
      {"membarrier", membarrier(), "lets the owner of a deque do without fences"},
      {"guard_install", guard_install(), "MADV_GUARD_INSTALL: guard pages that use up no mapping"},
      {"max_map_count", first_line("/proc/sys/vm/max_map_count"), "mappings a process may have"},
      {"memfd", memory_file(), "shared memory without a name"},
      {"process_vm_readv", read_other_process(), "copies between processes"},
      {"dev_shm", shared_memory_size(), "size of /dev/shm"},
      {"huge_pages", first_line("/sys/kernel/mm/transparent_hugepage/enabled"), "transparent huge pages"},
      {"overcommit", first_line("/proc/sys/vm/overcommit_memory"), "0 heuristic, 1 always, 2 never"},
  };
}

}  // namespace hocket::tool

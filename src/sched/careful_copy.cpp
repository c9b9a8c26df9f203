// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Careful reading: the system does it, and says when there is nothing.
#include "sched/careful_copy.hpp"

#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>

namespace hocket::detail {
namespace {

/// Where the system refuses (some containers and emulators): what reports look at lies in memory that is
/// hardly ever unmapped.
__attribute__((no_sanitize("thread", "address"))) void copy_plainly(void* to, const void* from,
                                                                    std::size_t n) {
  auto* t = static_cast<volatile unsigned char*>(to);
  const auto* f = static_cast<const volatile unsigned char*>(from);
  for (std::size_t i = 0; i < n; ++i) t[i] = f[i];
}

}  // namespace

bool copy_memory(void* to, const void* from, std::size_t bytes) {
  if (from == nullptr) return false;
  const iovec here{to, bytes}, there{const_cast<void*>(from), bytes};
  const ssize_t got = process_vm_readv(getpid(), &here, 1, &there, 1, 0);
  if (got == static_cast<ssize_t>(bytes)) return true;
  if (got >= 0 || errno == EFAULT) return false;
  copy_plainly(to, from, bytes);
  return true;
}

std::string copy_text(const char* from, std::size_t most) {
  std::string text;
  char piece[64];
  while (text.size() < most) {
    // No piece goes beyond a multiple of 64 bytes, and so none beyond the end of the string's last page.
    const char* at = from + text.size();
    const std::size_t n =
        std::min(most - text.size(), sizeof piece - reinterpret_cast<std::uintptr_t>(at) % sizeof piece);
    if (!copy_memory(piece, at, n)) return text.empty() ? "?" : text;
    const std::size_t length = strnlen(piece, n);
    text.append(piece, length);
    if (length != n) return text;
  }
  return text + "...";
}

}  // namespace hocket::detail

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The error category, and the version of the library.
#include <hocket/error.hpp>
#include <hocket/version.hpp>

#include <hocket/detail/config.hpp>

namespace hocket {
namespace {
class category final : public std::error_category {
 public:
  const char* name() const noexcept override { return "hocket"; }
  std::string message(int code) const override {
    switch (static_cast<errc>(code)) {
      case errc::not_running:
        return "no run goes on";
      case errc::not_a_task:
        return "the caller is not a task";
      case errc::already_running:
        return "a run goes on already";
      case errc::invalid_option:
        return "invalid option";
      case errc::invalid_handle:
        return "empty task handle";
      case errc::no_memory:
        return "out of memory";
      case errc::cancelled:
        return "the task was asked to stop";
      case errc::no_shepherd:
        return "no such shepherd";
      case errc::not_a_thread:
        return "called by a task";
      case errc::misuse:
        return "misuse";
      case errc::closed:
        return "the channel is closed";
      case errc::no_threads:
        return "no thread could be made";
    }
    return "unknown error";
  }
};
}  // namespace

const std::error_category& error_category() noexcept {
  static const category instance;
  return instance;
}

const char* version() { return HOCKET_VERSION_STRING; }

#if defined(__clang__)
#define HOCKET_COMPILER "clang " __clang_version__
#else
#define HOCKET_COMPILER "g++ " __VERSION__
#endif
#if defined(HOCKET_SWITCH_BOOST)
#define HOCKET_SWITCH_NAME "Boost.Context"
#else
#define HOCKET_SWITCH_NAME "own assembly"
#endif
const char* build_description() {
  return HOCKET_COMPILER ", task switch: " HOCKET_SWITCH_NAME
#if defined(NDEBUG)
                         ", release"
#else
                         ", assertions on"
#endif
#if HOCKET_TSAN
                         ", ThreadSanitizer"
#endif
#if HOCKET_ASAN
                         ", AddressSanitizer"
#endif
      ;
}

}  // namespace hocket

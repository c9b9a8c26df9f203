// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// An object that is seen to be touched after its end: it lies on a page of its own, which is barred then.
#pragma once
#include <sys/mman.h>

#include <cstddef>
#include <memory>
#include <new>
#include <utility>

#include "scenario.hpp"

namespace explorer {

template <class T>
class own_page {
 public:
  template <class... Arguments>
  explicit own_page(Arguments&&... a) {
    static_assert(sizeof(T) <= bytes);
    void* p = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    check(p != MAP_FAILED, "there is memory for a page");
    object_ = new (p) T(std::forward<Arguments>(a)...);
  }
  own_page(const own_page&) = delete;
  own_page& operator=(const own_page&) = delete;
  T& operator*() const { return *object_; }
  T* operator->() const { return object_; }

  /// Whoever touches the object from now on crashes. The page stays: no other may get its address.
  void end() {
    std::destroy_at(object_);
    mprotect(object_, bytes, PROT_NONE);
  }

 private:
  static constexpr std::size_t bytes = 4096;
  T* object_;
};

}  // namespace explorer

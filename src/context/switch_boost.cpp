// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The context switch by Boost.Context's fcontext, for processors without our own assembly.
#include <boost/context/detail/fcontext.hpp>

#include "context/context.hpp"

namespace hocket::detail {
namespace {
namespace fc = boost::context::detail;

void arrive(fc::transfer_t t) {
  if (t.data != nullptr) static_cast<context*>(t.data)->sp = t.fctx;
}
/// What the entry function is, handed over at the first switch: fcontext passes one pointer only.
struct first_frame {
  void (*entry)();
};
void root(fc::transfer_t t) {
  // prepare() jumps here once to hand over the entry, and is jumped back to.
  void (*entry)() = static_cast<first_frame*>(t.data)->entry;
  arrive(fc::jump_fcontext(t.fctx, nullptr));
  entry();
  __builtin_unreachable();
}
}  // namespace

void prepare(context& c, void* top, std::size_t size, void (*entry)()) {
  first_frame frame{entry};
  c.sp = fc::jump_fcontext(fc::make_fcontext(top, size, root), &frame).fctx;
}

void switch_full(context& from, context& to) { arrive(fc::jump_fcontext(to.sp, &from)); }

}  // namespace hocket::detail

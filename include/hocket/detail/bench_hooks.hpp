// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the benchmarks measure beneath the public interface.
#pragma once

namespace hocket::detail {

/// The time of one bare context switch in nanoseconds: two contexts that switch to each other, `switches`
/// times in all.
double ns_per_switch(bool full_abi, long switches);

}  // namespace hocket::detail

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The benchmarks on Boost.Context and Boost.Fiber.
#pragma once

#include "common/harness.hpp"

namespace hkbench {

void boost_feb(request& rq);
void boost_sync(request& rq);
void boost_mutex(request& rq);
void boost_channel(request& rq);
void boost_barrier(request& rq);
void boost_condition(request& rq);
void boost_counter(request& rq);

}  // namespace hkbench

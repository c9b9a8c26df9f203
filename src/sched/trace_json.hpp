// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Makes of a trace's records the file that viewers read: Chrome's trace event format. docs/tracing.md says
// what stands in it.
#pragma once
#include <string>

#include "base/trace.hpp"

namespace hocket::detail {

/// Writes the trace to its file; returns what went wrong, or nothing. Memory: a chunk of records a worker,
/// and what is open at one time.
std::string write_trace_json(const trace_recorder&);

}  // namespace hocket::detail

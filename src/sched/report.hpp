// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reports of who waits for what: on SIGUSR1, and at a deadlock.
#pragma once

namespace hocket::detail {

class kernel;

/// Writes every suspended task, what it waits for and since when, to a file descriptor; with a backtrace each
/// if the option `backtrace` is set. From a thread that is no worker, while tasks run: a snapshot.
void report_suspended(kernel&, int fd);

/// Writes the same of a run that stands still for good, and what waits for what in a circle, if anything.
void report_deadlock(kernel&, int fd);

}  // namespace hocket::detail

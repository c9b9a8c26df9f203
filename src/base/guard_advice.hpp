// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Memory advice that older C libraries do not name yet; the kernel refuses what it does not know.
#pragma once
#include <sys/mman.h>

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23
#endif
#ifndef MADV_GUARD_INSTALL
#define MADV_GUARD_INSTALL 102
#endif

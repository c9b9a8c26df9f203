// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Nothing of its own: it is there for the tests' headers to be compiled once.
#include "support/workers.hpp"

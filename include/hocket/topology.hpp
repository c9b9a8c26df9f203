// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The machine as this process may use it.
// Examples: examples/topology.cpp.
#pragma once
#include <string>
#include <vector>

namespace hocket {

/// available_cores() is the number of cores that this process may use: by its affinity mask and by its
/// cgroup's quota. At least 1. Cost: looks at the machine on the first call (milliseconds).
unsigned available_cores();

/// machine tells what available_cores() found.
struct machine {
  std::string processor;  // "AMD EPYC 7763"
  unsigned cores = 0;     // physical cores of the host
  unsigned allowed = 0;   // cores in the affinity mask
  double quota = 0;       // cores that the cgroup grants; 0: no limit
  std::vector<unsigned>
      processors;  // one OS processor number a core, in the order in which workers are placed
  std::vector<unsigned>
      domains;               // of each of these, its locality domain (last-level cache, or package), from 0
  std::string kernel;        // "Linux 6.18"
  bool membarrier = false;   // the kernel has an expedited private membarrier
  bool guard_pages = false;  // the kernel has MADV_GUARD_INSTALL
};
const machine& this_machine();

/// describe_machine() is this_machine() as text, a line a fact.
std::string describe_machine();

}  // namespace hocket

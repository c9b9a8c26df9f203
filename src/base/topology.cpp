// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The machine, by hwloc, the affinity mask and the cgroup's quota.
#include <hocket/topology.hpp>

#include <fcntl.h>
#include <hwloc.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <sstream>

#include "base/fences.hpp"
#include "base/guard_advice.hpp"

namespace hocket {
namespace {

/// The cgroup's CPU quota in cores, 0 if there is none: version 2, then version 1, for this process's own
/// group.
double cgroup_quota() {
  std::ifstream groups("/proc/self/cgroup");
  double least = 0;
  const auto narrow = [&](double quota, double period) {
    if (quota > 0 && period > 0) least = least == 0 ? quota / period : std::min(least, quota / period);
  };
  for (std::string line; std::getline(groups, line);) {
    const std::size_t path_at = line.rfind(':');
    if (path_at == std::string::npos) continue;
    std::string path = line.substr(path_at + 1);
    const bool unified = line.starts_with("0::");
    if (!unified && line.find(":cpu") == std::string::npos && line.find(",cpu") == std::string::npos)
      continue;
    for (;;) {  // a limit may be set in any group above
      const std::string base = unified ? "/sys/fs/cgroup" : "/sys/fs/cgroup/cpu";
      if (unified) {
        std::ifstream max(base + path + "/cpu.max");
        std::string quota;
        double period = 0;
        if (max >> quota >> period && quota != "max") narrow(std::atof(quota.c_str()), period);
      } else {
        std::ifstream q(base + path + "/cpu.cfs_quota_us"), p(base + path + "/cpu.cfs_period_us");
        double quota = 0, period = 0;
        if (q >> quota && p >> period) narrow(quota, period);
      }
      const std::size_t slash = path.rfind('/');
      if (path.empty() || path == "/" || slash == std::string::npos) break;
      path.resize(slash);
    }
  }
  return least;
}

bool guard_pages_work() {
  const std::size_t page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  void* p = mmap(nullptr, page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (p == MAP_FAILED) return false;
  const bool works = madvise(p, page, MADV_GUARD_INSTALL) == 0;
  munmap(p, page);
  return works;
}

/// The locality domain of a core: its last-level cache, or its package where hwloc knows of no such cache.
unsigned domain_of(hwloc_topology_t topology, hwloc_obj_t core) {
  hwloc_obj_t domain = hwloc_get_ancestor_obj_by_type(topology, HWLOC_OBJ_L3CACHE, core);
  if (domain == nullptr) domain = hwloc_get_ancestor_obj_by_type(topology, HWLOC_OBJ_PACKAGE, core);
  return domain == nullptr ? 0 : domain->logical_index;
}

/// Numbers from 0, in the order of first appearance.
void number_anew(std::vector<unsigned>& domains) {
  std::vector<unsigned> seen;
  for (unsigned& d : domains) {
    const auto at = std::find(seen.begin(), seen.end(), d);
    const auto number = static_cast<unsigned>(at - seen.begin());
    if (at == seen.end()) seen.push_back(d);
    d = number;
  }
}

machine look() {
  machine m;
  hwloc_topology_t topology;
  if (hwloc_topology_init(&topology) == 0) {
    if (hwloc_topology_load(topology) == 0) {
      m.cores = static_cast<unsigned>(std::max(1, hwloc_get_nbobjs_by_type(topology, HWLOC_OBJ_CORE)));
      if (const char* model = hwloc_obj_get_info_by_name(hwloc_get_root_obj(topology), "CPUModel"))
        m.processor = model;
      if (hwloc_obj_t package = hwloc_get_obj_by_type(topology, HWLOC_OBJ_PACKAGE, 0);
          package && m.processor.empty()) {
        if (const char* model = hwloc_obj_get_info_by_name(package, "CPUModel")) m.processor = model;
      }
      // One processor of each core that the mask of this process meets.
      hwloc_bitmap_t mask = hwloc_bitmap_alloc();
      if (hwloc_get_cpubind(topology, mask, HWLOC_CPUBIND_PROCESS) == 0) {
        const int n = hwloc_get_nbobjs_by_type(topology, HWLOC_OBJ_CORE);
        for (int i = 0; i < n; ++i) {
          hwloc_obj_t core = hwloc_get_obj_by_type(topology, HWLOC_OBJ_CORE, static_cast<unsigned>(i));
          for (int p = hwloc_bitmap_first(core->cpuset); p >= 0; p = hwloc_bitmap_next(core->cpuset, p)) {
            if (hwloc_bitmap_isset(mask, static_cast<unsigned>(p))) {
              m.processors.push_back(static_cast<unsigned>(p));
              m.domains.push_back(domain_of(topology, core));
              break;
            }
          }
        }
      }
      hwloc_bitmap_free(mask);
    }
    hwloc_topology_destroy(topology);
  }
  if (m.processors.empty()) {  // hwloc knows no cores here: take the mask as it is
    cpu_set_t set;
    CPU_ZERO(&set);
    if (sched_getaffinity(0, sizeof set, &set) == 0) {
      for (unsigned p = 0; p < CPU_SETSIZE; ++p) {
        if (CPU_ISSET(p, &set)) m.processors.push_back(p);
      }
    }
    if (m.processors.empty()) m.processors.push_back(0);
  }
  m.domains.resize(m.processors.size(), 0);
  number_anew(m.domains);
  m.allowed = static_cast<unsigned>(m.processors.size());
  m.cores = std::max(m.cores, m.allowed);
  m.quota = cgroup_quota();
  utsname names;
  if (uname(&names) == 0) m.kernel = std::string(names.sysname) + " " + names.release;
  detail::register_membarrier();
  m.membarrier = detail::have_membarrier;
  m.guard_pages = guard_pages_work();
  return m;
}

}  // namespace

const machine& this_machine() {
  static const machine m = look();
  return m;
}

unsigned available_cores() {
  const machine& m = this_machine();
  if (m.quota == 0) return m.allowed;
  return std::clamp(static_cast<unsigned>(std::ceil(m.quota)), 1u, m.allowed);
}

std::string describe_machine() {
  const machine& m = this_machine();
  std::ostringstream out;
  out << "processor:   " << (m.processor.empty() ? "unknown" : m.processor) << "\n"
      << "cores:       " << m.cores << ", of which this process may use " << m.allowed << "\n"
      << "cgroup:      ";
  if (m.quota == 0) {
    out << "no limit of processor time\n";
  } else {
    out << "at most " << m.quota << " cores' time\n";
  }
  out << "kernel:      " << m.kernel << "\n"
      << "membarrier:  " << (m.membarrier ? "yes" : "no: tasks are queued with full fences") << "\n"
      << "guard pages: " << (m.guard_pages ? "MADV_GUARD_INSTALL" : "mprotect, for the first stacks only")
      << "\n";
  return out.str();
}

}  // namespace hocket

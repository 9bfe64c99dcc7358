#include "base/system/usable_memory.h"

#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <limits>

namespace inferd::base {

namespace {

// "max" does not parse as a number. Version 1 means no limit by a number larger than any machine's memory.
double LimitIn(const std::filesystem::path& group) {
  double bytes = 0;
  for (const char* file : {"memory.max", "memory.limit_in_bytes"}) {
    if (std::ifstream stream(group / file); stream >> bytes && bytes > 0) return bytes;
  }
  return std::numeric_limits<double>::infinity();
}

}  // namespace

uint64_t UsableMemoryBytes(const ControlGroups& groups) {
  const auto machine = static_cast<double>(sysconf(_SC_PHYS_PAGES)) * static_cast<double>(sysconf(_SC_PAGESIZE));
  return static_cast<uint64_t>(std::min(machine, LeastLimit(groups, "memory", LimitIn)));
}

}  // namespace inferd::base

#include "net/memory_budget.h"

#include <unistd.h>

#include <algorithm>
#include <fstream>

namespace inferd::net {

namespace {

uint64_t MemoryBytes() {
  uint64_t bytes = static_cast<uint64_t>(sysconf(_SC_PHYS_PAGES)) * static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
  for (const char* path : {"/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"}) {
    uint64_t limit = 0;
    if (std::ifstream(path) >> limit && limit > 0) bytes = std::min(bytes, limit);  // "max" is no number
  }
  return bytes;
}

}  // namespace

MemoryBudget::MemoryBudget(uint64_t bytes_max) : bytes_max_(bytes_max != 0 ? bytes_max : MemoryBytes() / 4) {}

bool MemoryBudget::TryCharge(uint64_t bytes) {
  const uint64_t before = used_.fetch_add(bytes, std::memory_order_relaxed);
  if (bytes <= bytes_max_ && before <= bytes_max_ - bytes) return true;
  used_.fetch_sub(bytes, std::memory_order_relaxed);
  return false;
}

}  // namespace inferd::net

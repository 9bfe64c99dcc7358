#include "net/body/memory_budget.h"

#include "base/system/usable_memory.h"

namespace inferd::net {

MemoryBudget::MemoryBudget(uint64_t bytes_max)
    : bytes_max_(bytes_max != 0 ? bytes_max : base::UsableMemoryBytes() / 4) {}

bool MemoryBudget::TryCharge(uint64_t bytes) {
  const uint64_t before = used_.fetch_add(bytes, std::memory_order_relaxed);
  if (bytes <= bytes_max_ && before <= bytes_max_ - bytes) return true;
  used_.fetch_sub(bytes, std::memory_order_relaxed);
  return false;
}

}  // namespace inferd::net

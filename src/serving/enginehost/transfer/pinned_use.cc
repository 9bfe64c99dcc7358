#include "serving/enginehost/transfer/pinned_use.h"

#include <utility>

namespace inferd::enginehost {

namespace {

uint64_t Read(const std::atomic<uint64_t>& number) { return number.load(std::memory_order_relaxed); }

}  // namespace

void PinnedUses::Add(std::shared_ptr<const PinnedUse> use) {
  const base::MutexLock lock(mutex_);
  uses_.push_back(std::move(use));
}

PinnedUses::Sum PinnedUses::Total() {
  const base::MutexLock lock(mutex_);
  // No other reference exists, so none can be made any more.
  std::erase_if(uses_, [this](const auto& use) REQUIRES(mutex_) {
    if (use.use_count() > 1) return false;
    gone_.blocks += Read(use->blocks);
    gone_.refusals += Read(use->refusals);
    return true;
  });
  Sum sum = gone_;
  for (const auto& use : uses_) {
    sum.bytes += Read(use->bytes);
    sum.used += Read(use->used);
    sum.blocks += Read(use->blocks);
    sum.refusals += Read(use->refusals);
  }
  return sum;
}

}  // namespace inferd::enginehost

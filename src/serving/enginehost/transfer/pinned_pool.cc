#include "serving/enginehost/transfer/pinned_pool.h"

#include <optional>
#include <utility>

#include "base/memory/free_ranges.h"

namespace inferd::enginehost {

namespace {

// The unit of blocks: blocks of odd sizes would leave gaps of a few bytes.
constexpr size_t kUnit = 256;

}  // namespace

// The memory and its free ranges. Every block keeps it alive.
class PinnedPool::Area final {
 public:
  Area(base::Buffer memory, std::shared_ptr<PinnedUse> use)
      : memory_(std::move(memory)), use_(std::move(use)), free_(memory_.size()) {
    use_->bytes.store(memory_.size(), std::memory_order_relaxed);
  }
  ~Area() { use_->bytes.store(0, std::memory_order_relaxed); }
  Area(const Area&) = delete;
  Area& operator=(const Area&) = delete;

  // Returns the first byte. Null if there is no such contiguous block.
  std::byte* Take(size_t bytes) {
    base::MutexLock lock(mutex_);
    const std::optional<size_t> at = free_.Take(bytes);
    if (!at.has_value()) return nullptr;
    use_->used.fetch_add(bytes, std::memory_order_relaxed);
    use_->blocks.fetch_add(1, std::memory_order_relaxed);
    return memory_.data() + *at;
  }
  void Give(const std::byte* data, size_t bytes) {
    base::MutexLock lock(mutex_);
    free_.Give(static_cast<size_t>(data - memory_.data()), bytes);
    use_->used.fetch_sub(bytes, std::memory_order_relaxed);
  }

  base::MemoryPlace place() const { return memory_.place(); }
  size_t bytes() const { return memory_.size(); }

 private:
  base::Buffer memory_;
  const std::shared_ptr<PinnedUse> use_;
  base::Mutex mutex_;
  base::FreeRanges free_ GUARDED_BY(mutex_);
};

base::Status PinnedPool::Open(const Source& source) {
  if (bytes_max_ == 0) return base::OkStatus();
  base::MutexLock lock(mutex_);
  if (area_ != nullptr) return base::OkStatus();
  INFERD_ASSIGN_OR_RETURN(base::Buffer memory, source(bytes_max_));
  area_ = std::make_shared<Area>(std::move(memory), use_);
  return base::OkStatus();
}

base::Buffer PinnedPool::Take(size_t bytes) {
  if (bytes == 0) return {};
  const std::shared_ptr<Area> area = this->area();
  std::byte* data = nullptr;
  size_t taken = 0;
  if (area != nullptr && bytes <= area->bytes()) {  // so that no sum overflows
    taken = (bytes + base::kBufferSlack + kUnit - 1) / kUnit * kUnit;
    data = area->Take(taken);
  }
  if (data != nullptr) {
    return base::Buffer::Wrap(data, bytes, [area, data, taken] { area->Give(data, taken); }, area->place());
  }
  use_->Refuse();
  return {};
}

std::shared_ptr<PinnedPool::Area> PinnedPool::area() const {
  base::MutexLock lock(mutex_);
  return area_;
}

}  // namespace inferd::enginehost

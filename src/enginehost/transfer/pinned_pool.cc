#include "enginehost/transfer/pinned_pool.h"

#include <optional>
#include <utility>

#include "base/memory/free_ranges.h"

namespace inferd::enginehost {

namespace {

// What blocks are multiples of: blocks of an odd size would leave gaps of a few bytes.
constexpr size_t kUnit = 256;

}  // namespace

// The memory, and which of it is free. Each block keeps it.
class PinnedPool::Area final {
 public:
  explicit Area(base::Buffer memory) : memory_(std::move(memory)), free_(memory_.size()) {}

  // The first byte; nullptr: there are not so many together.
  std::byte* Take(size_t bytes) {
    base::MutexLock lock(mutex_);
    const std::optional<size_t> at = free_.Take(bytes);
    if (!at.has_value()) return nullptr;
    used_ += bytes;
    return memory_.data() + *at;
  }
  void Give(const std::byte* data, size_t bytes) {
    base::MutexLock lock(mutex_);
    free_.Give(static_cast<size_t>(data - memory_.data()), bytes);
    used_ -= bytes;
  }

  base::MemoryPlace place() const { return memory_.place(); }
  size_t bytes() const { return memory_.size(); }
  size_t used() const {
    base::MutexLock lock(mutex_);
    return used_;
  }

 private:
  base::Buffer memory_;
  mutable base::Mutex mutex_;
  base::FreeRanges free_ GUARDED_BY(mutex_);
  size_t used_ GUARDED_BY(mutex_) = 0;
};

base::Status PinnedPool::Open(const Source& source) {
  if (bytes_max_ == 0) return base::OkStatus();
  base::MutexLock lock(mutex_);
  if (area_ != nullptr) return base::OkStatus();
  INFERD_ASSIGN_OR_RETURN(base::Buffer memory, source(bytes_max_));
  area_ = std::make_shared<Area>(std::move(memory));
  return base::OkStatus();
}

base::Buffer PinnedPool::Take(size_t bytes) {
  const std::shared_ptr<Area> area = this->area();
  if (area == nullptr || bytes == 0 || bytes > area->bytes()) return {};  // no sum overflows then
  const size_t taken = (bytes + base::kBufferSlack + kUnit - 1) / kUnit * kUnit;
  std::byte* const data = area->Take(taken);
  if (data == nullptr) return {};
  return base::Buffer::Wrap(data, bytes, [area, data, taken] { area->Give(data, taken); }, area->place());
}

size_t PinnedPool::bytes() const {
  const std::shared_ptr<Area> area = this->area();
  return area == nullptr ? 0 : area->bytes();
}

size_t PinnedPool::used() const {
  const std::shared_ptr<Area> area = this->area();
  return area == nullptr ? 0 : area->used();
}

std::shared_ptr<PinnedPool::Area> PinnedPool::area() const {
  base::MutexLock lock(mutex_);
  return area_;
}

}  // namespace inferd::enginehost

#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <utility>

#include "base/buffer.h"
#include "base/mutex.h"
#include "base/status.h"
#include "serving/enginehost/transfer/pinned_use.h"

namespace inferd::enginehost {

// A pool of CPU memory that devices read and write by themselves while the processor does other work
// (INFERD_MEMORY_CPU_PINNED). The system cannot use pinned memory for anything else. So there is one pool for all
// models of the process, allocated when the first instance on a device is made. Typical: 256 MiB, of which an execution
// takes 600 KB for its inputs. Thread-safe.
class PinnedPool final {
 public:
  // Allocates this many pinned bytes.
  using Source = std::function<base::Result<base::Buffer>(size_t bytes)>;

  // If `bytes_max` is 0, the pool stays closed. Counts its usage in `use`.
  explicit PinnedPool(size_t bytes_max, std::shared_ptr<PinnedUse> use = std::make_shared<PinnedUse>())
      : bytes_max_(bytes_max), use_(std::move(use)) {}
  PinnedPool(const PinnedPool&) = delete;
  PinnedPool& operator=(const PinnedPool&) = delete;

  // Opens the pool. Does nothing if it is open. If the source fails, returns its error; Open() may be called again
  // later.
  base::Status Open(const Source& source) EXCLUDES(mutex_);

  // Returns `bytes` at a multiple of 64 and with slack, like base::Buffer::Allocate(). They are in use until the last
  // reference is gone, which may outlive the pool. Empty, and counted as refused unless `bytes` is 0, if the pool is
  // closed or has no such contiguous block. Never waits for memory.
  base::Buffer Take(size_t bytes) EXCLUDES(mutex_);

  size_t bytes() const { return use_->bytes.load(std::memory_order_relaxed); }  // 0 if closed
  size_t used() const { return use_->used.load(std::memory_order_relaxed); }

 private:
  class Area;

  std::shared_ptr<Area> area() const EXCLUDES(mutex_);

  const size_t bytes_max_;
  const std::shared_ptr<PinnedUse> use_;
  mutable base::Mutex mutex_;
  std::shared_ptr<Area> area_ GUARDED_BY(mutex_);  // null while closed
};

}  // namespace inferd::enginehost

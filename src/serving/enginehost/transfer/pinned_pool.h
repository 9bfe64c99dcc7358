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

// Memory of the CPU that devices copy from and to by themselves, while the processor does something else
// (INFERD_MEMORY_CPU_PINNED). The system cannot use it for anything else, so there is one pool for all models of the
// process, and it is asked for when the first instance is on a device: 256 MiB, say, of which an execution takes 600 KB
// for its inputs. Thread-safe.
class PinnedPool final {
 public:
  // So many bytes, pinned.
  using Source = std::function<base::Result<base::Buffer>(size_t bytes)>;

  // 0: it stays closed. What becomes of it is counted in `use`.
  explicit PinnedPool(size_t bytes_max, std::shared_ptr<PinnedUse> use = std::make_shared<PinnedUse>())
      : bytes_max_(bytes_max), use_(std::move(use)) {}
  PinnedPool(const PinnedPool&) = delete;
  PinnedPool& operator=(const PinnedPool&) = delete;

  // Nothing, if it is open. An error is the source's: it stays closed, and may be opened later.
  base::Status Open(const Source& source) EXCLUDES(mutex_);

  // `bytes` at a multiple of 64 and with slack, as base::Buffer::Allocate() gives them, until the last reference to
  // them is gone, which may outlive the pool. Empty, and counted as refused unless none were asked for: the pool is
  // closed, or has not so many together. Nothing waits for others to give some back.
  base::Buffer Take(size_t bytes) EXCLUDES(mutex_);

  size_t bytes() const { return use_->bytes.load(std::memory_order_relaxed); }  // 0: it is closed
  size_t used() const { return use_->used.load(std::memory_order_relaxed); }

 private:
  class Area;

  std::shared_ptr<Area> area() const EXCLUDES(mutex_);

  const size_t bytes_max_;
  const std::shared_ptr<PinnedUse> use_;
  mutable base::Mutex mutex_;
  std::shared_ptr<Area> area_ GUARDED_BY(mutex_);  // null: it is closed
};

}  // namespace inferd::enginehost

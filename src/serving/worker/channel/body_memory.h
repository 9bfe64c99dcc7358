#pragma once

#include <cstddef>
#include <memory>
#include <span>

#include "base/memory/free_ranges.h"
#include "base/mutex.h"
#include "base/status.h"
#include "serving/core/request/input_memory.h"
#include "serving/worker/channel/shared_memory.h"

namespace inferd::worker {

// Memory for the bodies of requests, which the worker process can read: so tensors need no copy. There is one per model
// version, shared with each of its successive worker processes. A worker can only read it (F_SEAL_FUTURE_WRITE), so
// checks of a body by the server stay valid. Thread-safe.
//
// Sealed memory keeps its pages until it is destroyed.
class BodyMemory final : public core::InputMemory, public std::enable_shared_from_this<BodyMemory> {
 public:
  // RESOURCE_EXHAUSTED if the system has no memory or cannot seal it.
  static base::Result<std::shared_ptr<BodyMemory>> Create(size_t bytes);
  BodyMemory(const BodyMemory&) = delete;
  BodyMemory& operator=(const BodyMemory&) = delete;

  base::Buffer Allocate(size_t size, size_t align_at) override;

  std::span<const std::byte> area() const { return memory_.bytes(); }
  // The descriptor that a worker opens.
  int descriptor() const { return memory_.descriptor(); }

 private:
  explicit BodyMemory(SharedMemory memory) : memory_(std::move(memory)), free_(memory_.bytes().size()) {}
  void Free(size_t offset, size_t bytes);

  const SharedMemory memory_;
  base::Mutex mutex_;
  base::FreeRanges free_ GUARDED_BY(mutex_);
};

// The worker's view of a BodyMemory. Immutable, so thread-safe.
class BodyView final {
 public:
  // The caller keeps ownership of `descriptor`. RESOURCE_EXHAUSTED if the system cannot map it.
  static base::Result<std::shared_ptr<const BodyView>> Open(int descriptor);
  BodyView(const BodyView&) = delete;
  BodyView& operator=(const BodyView&) = delete;

  std::span<const std::byte> area() const { return memory_.bytes(); }

 private:
  explicit BodyView(SharedMemory memory) : memory_(std::move(memory)) {}

  const SharedMemory memory_;
};

}  // namespace inferd::worker

#pragma once

#include <cstddef>
#include <memory>
#include <span>

#include "base/file_descriptor.h"
#include "base/mutex.h"
#include "base/status.h"
#include "core/input_memory.h"
#include "worker/free_ranges.h"

namespace inferd::worker {

// Where the server reads the bodies of requests to, so that the worker process has their tensors' bytes without a copy:
// one for each model version, handed to each process that it has in its life. The worker can do nothing but read it
// (F_SEAL_FUTURE_WRITE), so what the server has checked in a body stays so. Thread-safe.
//
// The kernel gives it pages as they are first written; sealed memory gives none back before its end.
class BodyMemory final : public core::InputMemory, public std::enable_shared_from_this<BodyMemory> {
 public:
  // RESOURCE_EXHAUSTED: the system gives none, or cannot seal it.
  static base::Result<std::shared_ptr<BodyMemory>> Create(size_t bytes);
  ~BodyMemory() override;
  BodyMemory(const BodyMemory&) = delete;
  BodyMemory& operator=(const BodyMemory&) = delete;

  base::Buffer Allocate(size_t size, size_t align_at) override;

  std::span<const std::byte> area() const { return {memory_, bytes_}; }
  // What a worker opens.
  int descriptor() const { return descriptor_.get(); }

 private:
  BodyMemory(std::byte* memory, size_t bytes, base::FileDescriptor descriptor)
      : memory_(memory), bytes_(bytes), descriptor_(std::move(descriptor)), free_(bytes) {}
  void Free(size_t offset, size_t bytes);

  std::byte* const memory_;
  const size_t bytes_;
  const base::FileDescriptor descriptor_;
  base::Mutex mutex_;
  FreeRanges free_ GUARDED_BY(mutex_);
};

// The worker's view of it. Immutable, so thread-safe.
class BodyView final {
 public:
  // `descriptor` stays the caller's. RESOURCE_EXHAUSTED: the system cannot map it.
  static base::Result<std::shared_ptr<const BodyView>> Open(int descriptor);
  ~BodyView();
  BodyView(const BodyView&) = delete;
  BodyView& operator=(const BodyView&) = delete;

  std::span<const std::byte> area() const { return area_; }

 private:
  explicit BodyView(std::span<const std::byte> area) : area_(area) {}

  const std::span<const std::byte> area_;
};

}  // namespace inferd::worker

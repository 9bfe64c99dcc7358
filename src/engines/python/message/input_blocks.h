#pragma once

#include <cstddef>
#include <span>
#include <utility>

#include "base/memory/free_ranges.h"
#include "base/mutex.h"
#include "base/status.h"
#include "engines/python/message/shared_area.h"
#include "inferd/engine_abi.h"

namespace inferd::python {

// The memory that the engine writes and a worker reads: inputs of executions, and outputs of models that the worker
// calls. Thread-safe.
class InputBlocks final {
 public:
  static constexpr size_t kAlignment = 64;

  struct Block {
    size_t offset = 0;
    size_t bytes = 0;  // including the alignment
  };

  explicit InputBlocks(SharedArea area) : area_(std::move(area)) {}

  // Copies tensors into a block, one after the other, each aligned to kAlignment. Errors as for SharedArea::Reserve().
  base::Result<Block> Add(std::span<const inferd_memory> tensors);
  void Give(const Block& block);
  static size_t Aligned(size_t bytes) { return (bytes + kAlignment - 1) / kAlignment * kAlignment; }
  // The descriptor for the worker.
  int descriptor() {
    const base::MutexLock lock(mutex_);
    return area_.descriptor();
  }
  // The size of the memory that the worker must map.
  size_t bytes();

 private:
  base::Mutex mutex_;
  SharedArea area_ GUARDED_BY(mutex_);
  base::FreeRanges free_ GUARDED_BY(mutex_){SharedArea::kBytesMax};
  size_t bytes_ GUARDED_BY(mutex_) = 0;
};

}  // namespace inferd::python

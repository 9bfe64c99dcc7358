#pragma once

#include <cstddef>
#include <functional>
#include <memory>

#include "base/thread_pool.h"
#include "inferd/engine_abi.h"

namespace inferd::forest {

// The threads that a version's large batches are split over, the calling one among them. Thread-safe.
class RowThreads final {
 public:
  // `threads` >= 1; they stay on the cores of `load`.
  RowThreads(const inferd_load& load, int threads);

  // Calls work(begin, end) for parts of [0, rows) side by side, and returns when all are done. A part has `rows_min`
  // rows at least, if there are so many. What one of them throws, this throws when all are done.
  void Run(size_t rows, size_t rows_min, const std::function<void(size_t begin, size_t end)>& work) const;

 private:
  size_t threads_;
  std::unique_ptr<base::ThreadPool> pool_;  // of the others; null: there is none
};

}  // namespace inferd::forest

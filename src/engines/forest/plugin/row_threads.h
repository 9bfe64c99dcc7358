#pragma once

#include <cstddef>
#include <functional>
#include <memory>

#include "base/thread_pool.h"
#include "inferd/engine_abi.h"

namespace inferd::forest {

// The threads, including the calling one, over which a version's large batches are split. Thread-safe.
class RowThreads final {
 public:
  // `threads` >= 1; they stay on the cores of `load`.
  RowThreads(const inferd_load& load, int threads);

  // Calls work(begin, end) for parts of [0, rows) in parallel, and returns when all are done. A part has at least
  // `rows_min` rows, if there are so many. Rethrows a part's exception when all are done.
  void Run(size_t rows, size_t rows_min, const std::function<void(size_t begin, size_t end)>& work) const;

 private:
  size_t threads_;
  std::unique_ptr<base::ThreadPool> pool_;  // of the other threads; null if there are none
};

}  // namespace inferd::forest

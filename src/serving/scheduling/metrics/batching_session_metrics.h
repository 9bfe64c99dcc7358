#pragma once

#include <boost/container/flat_map.hpp>
#include <cstdint>
#include <memory>
#include <string>

#include "base/metrics/registry.h"
#include "base/mutex.h"

namespace inferd::scheduling {

// TensorFlow Serving's series about batches, `:tensorflow:serving:batching_session:*`, for dashboards that are made for
// them. As there, they are about all models that batch together. Thread-safe; the registry outlives it.
class BatchingSessionMetrics final {
 public:
  // `pool`: what the threads that run batches are called together.
  BatchingSessionMetrics(metrics::Registry& registry, const std::string& pool);

  // A request that an execution begins with: its rows, and how long it was queued.
  void ObserveRequest(int64_t rows, int64_t queued_ns);
  // An execution: rows of requests, and such as filled it up.
  void ObserveExecution(int64_t rows, int64_t padding);

 private:
  metrics::Histogram& PaddingOf(int64_t rows) EXCLUDES(mutex_);

  metrics::Registry& registry_;
  const std::shared_ptr<metrics::Histogram> queued_us_;
  const std::shared_ptr<metrics::Histogram> request_rows_;
  const std::shared_ptr<metrics::Histogram> rows_;
  const std::shared_ptr<metrics::Counter> executions_;
  base::Mutex mutex_;
  // By rows of the execution; as many as models have sizes.
  boost::container::flat_map<int64_t, std::shared_ptr<metrics::Histogram>> padding_ GUARDED_BY(mutex_);
};

}  // namespace inferd::scheduling

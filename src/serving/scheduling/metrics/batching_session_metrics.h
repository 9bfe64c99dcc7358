#pragma once

#include <boost/container/flat_map.hpp>
#include <cstdint>
#include <memory>
#include <string>

#include "base/metrics/registry.h"
#include "base/mutex.h"

namespace inferd::scheduling {

// TensorFlow Serving's metric series about batches, `:tensorflow:serving:batching_session:*`, for dashboards made for
// them. As there, the series cover all models that batch. Thread-safe; the registry outlives it.
class BatchingSessionMetrics final {
 public:
  // `pool` is the common name of the threads that run batches.
  BatchingSessionMetrics(metrics::Registry& registry, const std::string& pool);

  // Records a request in an execution that begins: its rows, and its time in the queue.
  void ObserveRequest(int64_t rows, int64_t queued_ns);
  // Records an execution: its rows from requests, and its padding rows.
  void ObserveExecution(int64_t rows, int64_t padding);

 private:
  metrics::Histogram& PaddingOf(int64_t rows) EXCLUDES(mutex_);

  metrics::Registry& registry_;
  const std::shared_ptr<metrics::Histogram> queued_us_;
  const std::shared_ptr<metrics::Histogram> request_rows_;
  const std::shared_ptr<metrics::Histogram> rows_;
  const std::shared_ptr<metrics::Counter> executions_;
  base::Mutex mutex_;
  // By the rows of the execution. Has as many entries as the models have batch sizes.
  boost::container::flat_map<int64_t, std::shared_ptr<metrics::Histogram>> padding_ GUARDED_BY(mutex_);
};

}  // namespace inferd::scheduling

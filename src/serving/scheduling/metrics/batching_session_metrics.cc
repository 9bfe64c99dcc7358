#include "serving/scheduling/metrics/batching_session_metrics.h"

#include <array>
#include <string>
#include <string_view>

namespace inferd::scheduling {

namespace {

constexpr std::string_view kPrefix = ":tensorflow:serving:batching_session:";
constexpr double kRowBounds[] = {0, 1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024};

// The bounds of TensorFlow Serving: from 100 us to one second.
std::array<double, 52> QueueBounds() {
  std::array<double, 52> bounds{};
  double next = 100;
  for (double& bound : bounds) {
    bound = next;
    next *= 1.2;
  }
  return bounds;
}

std::string Name(std::string_view series) { return std::string(kPrefix).append(series); }

}  // namespace

BatchingSessionMetrics::BatchingSessionMetrics(metrics::Registry& registry, const std::string& pool)
    : registry_(registry),
      queued_us_(registry.AddHistogram(Name("queuing_latency"),
                                       "Distribution of wall time spent (in microseconds) in queuing",
                                       {{"thread_pool_name", pool}}, QueueBounds())),
      request_rows_(registry.AddHistogram(Name("input_batch_size"), "Rows of requests", {}, kRowBounds)),
      rows_(
          registry.AddHistogram(Name("processed_batch_size"), "Rows of executions, padding included", {}, kRowBounds)),
      executions_(registry.AddCounter(Name("wrapped_run_count"), "Executions", {})) {}

metrics::Histogram& BatchingSessionMetrics::PaddingOf(int64_t rows) {
  base::MutexLock lock(mutex_);
  auto& series = padding_[rows];
  if (series == nullptr) {
    series = registry_.AddHistogram(Name("padding_size"), "Rows that filled executions up",
                                    {{"execution_batch_size", std::to_string(rows)}}, kRowBounds);
  }
  return *series;
}

void BatchingSessionMetrics::ObserveRequest(int64_t rows, int64_t queued_ns) {
  request_rows_->Observe(static_cast<double>(rows));
  queued_us_->Observe(static_cast<double>(queued_ns) / 1000);
}

void BatchingSessionMetrics::ObserveExecution(int64_t rows, int64_t padding) {
  executions_->Add();
  rows_->Observe(static_cast<double>(rows + padding));
  PaddingOf(rows + padding).Observe(static_cast<double>(padding));
}

}  // namespace inferd::scheduling

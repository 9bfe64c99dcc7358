#include "serving/scheduling/metrics/batching_session_metrics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace inferd::scheduling {
namespace {

using ::testing::HasSubstr;

TEST(BatchingSessionMetricsTest, SeriesAreTensorFlowServings) {
  metrics::Registry registry;
  BatchingSessionMetrics metrics(registry, "model_server_batch_threads");
  metrics.ObserveRequest(3, 150'000);
  metrics.ObserveRequest(2, 90'000);
  metrics.ObserveExecution(5, 3);
  const std::string page = registry.PrometheusText();
  EXPECT_THAT(page, HasSubstr(":tensorflow:serving:batching_session:queuing_latency_bucket{"
                              "thread_pool_name=\"model_server_batch_threads\",le=\"100\"} 1\n"));
  EXPECT_THAT(page, HasSubstr(":tensorflow:serving:batching_session:queuing_latency_sum{"
                              "thread_pool_name=\"model_server_batch_threads\"} 240\n"));
  EXPECT_THAT(page, HasSubstr(":tensorflow:serving:batching_session:input_batch_size_sum 5\n"));
  EXPECT_THAT(page, HasSubstr(":tensorflow:serving:batching_session:processed_batch_size_sum 8\n"));
  EXPECT_THAT(page, HasSubstr(":tensorflow:serving:batching_session:padding_size_sum{execution_batch_size=\"8\"} 3\n"));
  EXPECT_THAT(page, HasSubstr(":tensorflow:serving:batching_session:wrapped_run_count 1\n"));
}

}  // namespace
}  // namespace inferd::scheduling

#include "serving/core/model/version_statistics.h"

#include <gtest/gtest.h>

namespace inferd::core {
namespace {

TEST(VersionStatisticsTest, SuccessCountsEveryPhase) {
  VersionStatistics stats;
  stats.RecordSuccess(100, {.queue_ns = 10, .compute_input_ns = 20, .compute_infer_ns = 30, .compute_output_ns = 40},
                      1234);
  stats.RecordSuccess(50, {.queue_ns = 1, .compute_input_ns = 2, .compute_infer_ns = 3, .compute_output_ns = 4}, 1235);
  const ModelStatistics read = stats.Read();
  EXPECT_EQ(read.success.count, 2u);
  EXPECT_EQ(read.success.ns, 150u);
  EXPECT_EQ(read.queue.ns, 11u);
  EXPECT_EQ(read.compute_input.ns, 22u);
  EXPECT_EQ(read.compute_infer.ns, 33u);
  EXPECT_EQ(read.compute_output.ns, 44u);
  EXPECT_EQ(read.last_inference_ms, 1235u);
  EXPECT_EQ(read.fail.count, 0u);
}

TEST(VersionStatisticsTest, SuccessesMayBeCountedTogether) {
  VersionStatistics stats;
  stats.RecordSuccess(100, {.queue_ns = 10, .compute_input_ns = 20, .compute_infer_ns = 30, .compute_output_ns = 40},
                      1234, 3);
  const ModelStatistics read = stats.Read();
  EXPECT_EQ(read.success.count, 3u);
  EXPECT_EQ(read.success.ns, 100u);
  EXPECT_EQ(read.queue.count, 3u);
  EXPECT_EQ(read.queue.ns, 10u);
  EXPECT_EQ(read.compute_output.count, 3u);
  EXPECT_EQ(read.compute_output.ns, 40u);
}

TEST(VersionStatisticsTest, RequestsAreCountedByTheirRows) {
  VersionStatistics stats;
  stats.RecordRequest(1, 100, 30);
  stats.RecordRequest(1, 50, 20);
  stats.RecordRequest(100, 7, 9);  // separate clock readings can disagree
  stats.RecordFailure(FailureReason::kBackend, 5, 100);
  stats.RecordFailure(FailureReason::kRejected, 6, VersionStatistics::kBatchSizesMax + 1);
  const ModelStatistics read = stats.Read();
  ASSERT_EQ(read.requests.size(), 2u);
  EXPECT_EQ(read.requests[0].rows, 1u);
  EXPECT_EQ(read.requests[0].success.count, 2u);
  EXPECT_EQ(read.requests[0].success.ns, 150u);
  EXPECT_EQ(read.requests[0].queue.ns, 50u);
  EXPECT_EQ(read.requests[0].compute.ns, 100u);
  EXPECT_EQ(read.requests[0].compute.count, 2u);
  EXPECT_EQ(read.requests[0].fail.count, 0u);
  EXPECT_EQ(read.requests[1].rows, 100u);
  EXPECT_EQ(read.requests[1].compute.ns, 0u);
  EXPECT_EQ(read.requests[1].fail.count, 1u);
  EXPECT_EQ(read.requests[1].fail.ns, 5u);
  EXPECT_EQ(read.fail.count, 2u);
  EXPECT_TRUE(read.batches.empty());
}

TEST(VersionStatisticsTest, FailuresAreToldApart) {
  VersionStatistics stats;
  stats.RecordFailure(FailureReason::kRejected, 5);
  stats.RecordFailure(FailureReason::kBackend, 7);
  stats.RecordFailure(FailureReason::kBackend, 7);
  EXPECT_EQ(stats.failures(FailureReason::kRejected), 1u);
  EXPECT_EQ(stats.failures(FailureReason::kBackend), 2u);
  EXPECT_EQ(stats.failures(FailureReason::kCanceled), 0u);
  EXPECT_EQ(stats.Read().fail.count, 3u);
  EXPECT_EQ(stats.Read().fail.ns, 19u);
}

TEST(VersionStatisticsTest, BatchSizesAreListedAscending) {
  VersionStatistics stats;
  const PhaseTimes phases{.queue_ns = 0, .compute_input_ns = 1, .compute_infer_ns = 2, .compute_output_ns = 3};
  stats.RecordExecution(200, phases);
  stats.RecordExecution(1, phases);
  stats.RecordExecution(200, phases);
  const ModelStatistics read = stats.Read();
  EXPECT_EQ(read.execution_count, 3u);
  EXPECT_EQ(read.inference_count, 401u);
  ASSERT_EQ(read.batches.size(), 2u);
  EXPECT_EQ(read.batches[0].batch_size, 1u);
  EXPECT_EQ(read.batches[1].batch_size, 200u);
  EXPECT_EQ(read.batches[1].compute_infer.count, 2u);
  EXPECT_EQ(read.batches[1].compute_infer.ns, 4u);
}

TEST(VersionStatisticsTest, ABatchBeyondTheTableStillCounts) {
  VersionStatistics stats;
  stats.RecordExecution(int64_t{1} << 40, {});
  EXPECT_EQ(stats.Read().inference_count, uint64_t{1} << 40);
  EXPECT_TRUE(stats.Read().batches.empty());
}

TEST(VersionStatisticsTest, AClockThatStandsStillNeverCountsBackwards) {
  VersionStatistics stats;
  stats.RecordFailure(FailureReason::kOther, -5);
  EXPECT_EQ(stats.Read().fail.ns, 0u);
}

TEST(VersionStatisticsTest, ManyThreadsLoseNothing) {
  VersionStatistics stats;
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&stats] {
      for (int i = 1; i <= 1000; ++i) stats.RecordExecution(i, {});
    });
  }
  for (auto& thread : threads) thread.join();
  const ModelStatistics read = stats.Read();
  EXPECT_EQ(read.execution_count, 4000u);
  ASSERT_EQ(read.batches.size(), 1000u);
  for (const auto& batch : read.batches) EXPECT_EQ(batch.compute_infer.count, 4u);
}

}  // namespace
}  // namespace inferd::core

#include "serving/scheduling/batch/execution_figures.h"

#include <gtest/gtest.h>

namespace inferd::scheduling {
namespace {

core::BatchRecord Execution(int64_t service_ns, int64_t requests, core::BatchReason reason) {
  core::BatchRecord record;
  record.service_ns = service_ns;
  record.requests = requests;
  record.reason = reason;
  return record;
}

TEST(ExecutionFiguresTest, FollowWhatExecutionsTake) {
  ExecutionFigures figures;
  EXPECT_EQ(figures.mean_service_ns(), 0);
  figures.Record(0, Execution(800, 1, core::BatchReason::kFull));
  EXPECT_EQ(figures.mean_service_ns(), 800) << "the first is all that is known";
  figures.Record(0, Execution(1600, 9, core::BatchReason::kFull));
  EXPECT_EQ(figures.mean_service_ns(), 900);
  EXPECT_EQ(figures.mean_requests(), 2);
}

TEST(ExecutionFiguresTest, AreReported) {
  ExecutionFigures figures;
  figures.Record(1'000'000, Execution(800, 1, core::BatchReason::kFull));
  figures.Record(2'000'000, Execution(800, 1, core::BatchReason::kRetry));
  figures.Record(3'000'000, Execution(800, 1, core::BatchReason::kFull));
  figures.RecordResourceWait(30);
  figures.RecordResourceWait(12);
  core::SchedulerReport report;
  figures.Report(report);
  EXPECT_EQ(report.mean_service_ns, 800);
  EXPECT_EQ(report.executions[static_cast<size_t>(core::BatchReason::kFull)], 2U);
  EXPECT_EQ(report.executions[static_cast<size_t>(core::BatchReason::kRetry)], 1U);
  EXPECT_EQ(report.resource_wait_ns, 42);
  const auto recent = figures.Recent(4'000'000, 104'000'000);
  ASSERT_EQ(recent.size(), 3U);
  EXPECT_EQ(recent[0].started_wall_ms, 101);
  EXPECT_EQ(recent[2].started_wall_ms, 103);
}

}  // namespace
}  // namespace inferd::scheduling

#include "serving/scheduling/metrics/inference_metrics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace inferd::scheduling {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class InferenceMetricsTest : public ::testing::Test {
 protected:
  static std::shared_ptr<core::VersionStatistics> Stats() { return std::make_shared<core::VersionStatistics>(); }
  std::string Page() const { return registry_.PrometheusText(); }
  metrics::Registry registry_;
  InferenceMetrics metrics_{registry_};
};

TEST_F(InferenceMetricsTest, ShowsTheStatisticsUnderTritonsNames) {
  const auto stats = Stats();
  const auto handle = metrics_.Add({"m", 3}, {}, stats);
  stats->RecordSuccess(
      2'000'000, {.queue_ns = 500'000, .compute_input_ns = 0, .compute_infer_ns = 1'500'000, .compute_output_ns = 0},
      1);
  stats->RecordExecution(4, {});
  stats->RecordFailure(core::FailureReason::kRejected, 1);
  stats->AddPending(2);
  handle->ObserveRequest(2'000'000);
  handle->ObserveExecution(4);
  const std::string page = Page();
  for (const char* line :
       {"nv_inference_request_success{model=\"m\",version=\"3\"} 1", "nv_inference_count{model=\"m\",version=\"3\"} 4",
        "nv_inference_exec_count{model=\"m\",version=\"3\"} 1",
        "nv_inference_request_failure{model=\"m\",reason=\"REJECTED\",version=\"3\"} 1",
        "nv_inference_request_failure{model=\"m\",reason=\"BACKEND\",version=\"3\"} 0",
        "nv_inference_request_duration_us{model=\"m\",version=\"3\"} 2000",
        "nv_inference_queue_duration_us{model=\"m\",version=\"3\"} 500",
        "nv_inference_compute_infer_duration_us{model=\"m\",version=\"3\"} 1500",
        "nv_inference_pending_request_count{model=\"m\",version=\"3\"} 2",
        "inferd_inference_batch_size_sum{model=\"m\",version=\"3\"} 4"}) {
    EXPECT_THAT(page, HasSubstr(line));
  }
}

TEST_F(InferenceMetricsTest, HowLongRequestsTookIsToldByOutcome) {
  const auto stats = Stats();
  auto handle = metrics_.Add({"m", 3}, {}, stats);
  const auto second = metrics_.Add({"m", 3}, {}, stats);
  handle->ObserveRequest(2'000'000'000);
  EXPECT_THAT(Page(), Not(HasSubstr("outcome=\"REJECTED\"")));
  stats->RecordFailure(core::FailureReason::kRejected, 3'000'000'000);
  stats->RecordFailure(core::FailureReason::kRejected, 1'000'000'000);
  stats->RecordFailure(core::FailureReason::kBackend, 7'000'000'000);
  const std::string page = Page();
  for (const char* line :
       {R"(inferd_inference_request_duration_seconds_sum{model="m",version="3",outcome="SUCCESS"} 2)",
        R"(inferd_inference_request_duration_seconds_count{model="m",version="3",outcome="SUCCESS"} 1)",
        R"(inferd_inference_request_duration_seconds_sum{model="m",version="3",outcome="REJECTED"} 4)",
        R"(inferd_inference_request_duration_seconds_count{model="m",version="3",outcome="REJECTED"} 2)",
        R"(inferd_inference_request_duration_seconds_sum{model="m",version="3",outcome="BACKEND"} 7)"}) {
    EXPECT_THAT(page, HasSubstr(line));
  }
  EXPECT_THAT(page, Not(HasSubstr("outcome=\"CANCELED\"")));
}

TEST_F(InferenceMetricsTest, WhatFailedIsNotShownOnceTheVersionIsGone) {
  const auto stats = Stats();
  auto handle = metrics_.Add({"m", 3}, {}, stats);
  stats->RecordFailure(core::FailureReason::kOther, 1);
  handle.reset();
  EXPECT_THAT(Page(), Not(HasSubstr("inferd_inference_request_duration_seconds_count{")));
}

TEST_F(InferenceMetricsTest, AReloadGoesOnCounting) {
  const auto old_stats = Stats();
  auto old_handle = metrics_.Add({"m", 1}, {}, old_stats);
  old_stats->RecordSuccess(1, {}, 1);
  const auto new_stats = Stats();
  const auto new_handle = metrics_.Add({"m", 1}, {}, new_stats);
  new_stats->RecordSuccess(1, {}, 1);
  EXPECT_THAT(Page(), HasSubstr("nv_inference_request_success{model=\"m\",version=\"1\"} 2"));
  old_handle.reset();
  EXPECT_THAT(Page(), HasSubstr("nv_inference_request_success{model=\"m\",version=\"1\"} 2"));
}

TEST_F(InferenceMetricsTest, SchedulersOfOneLoadShareItsStatistics) {
  const auto stats = Stats();
  auto first = metrics_.Add({"m", 1}, {}, stats);
  auto second = metrics_.Add({"m", 1}, {}, stats);
  core::SchedulerReport report;
  report.levels = {{.level = 1, .requests = 2}};
  for (const auto& handle : {first.get(), second.get()}) handle->ReportFrom([report] { return report; });
  stats->RecordSuccess(1, {}, 1);
  EXPECT_THAT(Page(), HasSubstr("nv_inference_request_success{model=\"m\",version=\"1\"} 1"));
  EXPECT_THAT(Page(), HasSubstr("inferd_queue_requests{model=\"m\",version=\"1\",priority=\"1\"} 4"));
  first->StopReporting();
  first.reset();
  EXPECT_THAT(Page(), HasSubstr("nv_inference_request_success{model=\"m\",version=\"1\"} 1"));
  EXPECT_THAT(Page(), HasSubstr("inferd_queue_requests{model=\"m\",version=\"1\",priority=\"1\"} 2"));
  second->StopReporting();
  second.reset();
  EXPECT_THAT(Page(), Not(HasSubstr("model=")));
}

TEST_F(InferenceMetricsTest, TheSeriesVanishWithTheLastLoad) {
  auto handle = metrics_.Add({"m", 1}, {}, Stats());
  const auto other = metrics_.Add({"m", 2}, {}, Stats());
  handle.reset();
  EXPECT_THAT(Page(), Not(HasSubstr("version=\"1\"")));
  EXPECT_THAT(Page(), HasSubstr("version=\"2\""));
}

core::SchedulerReport Report(uint64_t full, int64_t waiting) {
  core::SchedulerReport report;
  report.batching = true;
  report.levels = {{.level = 1, .requests = waiting, .size_max = 8}, {.level = 2, .requests = 0, .size_max = 8}};
  report.executions[static_cast<size_t>(core::BatchReason::kFull)] = full;
  report.resource_wait_ns = 250'000'000;
  return report;
}

TEST_F(InferenceMetricsTest, ShowsWhatWaitsAndWhyExecutionsBegan) {
  core::SchedulerReport report = Report(7, 3);
  const auto handle = metrics_.Add({"m", 1}, {}, Stats());
  report.concurrency = {.limit = 12, .min = 1, .max = 20, .in_flight = 2, .shed = 5};
  handle->ReportFrom([&report] { return report; });
  const std::string page = Page();
  for (const char* line : {"inferd_queue_requests{model=\"m\",version=\"1\",priority=\"1\"} 3",
                           "inferd_queue_requests{model=\"m\",version=\"1\",priority=\"2\"} 0",
                           "inferd_executions_total{model=\"m\",version=\"1\",reason=\"full\"} 7",
                           "inferd_executions_total{model=\"m\",version=\"1\",reason=\"retry\"} 0",
                           "inferd_resource_wait_seconds_total{model=\"m\",version=\"1\"} 0.25",
                           "inferd_concurrency_limit{model=\"m\",version=\"1\"} 12",
                           "inferd_requests_shed_total{model=\"m\",version=\"1\"} 5"}) {
    EXPECT_THAT(page, HasSubstr(line));
  }
  report.executions[static_cast<size_t>(core::BatchReason::kFull)] = 8;
  EXPECT_THAT(Page(), HasSubstr("reason=\"full\"} 8"));
}

TEST_F(InferenceMetricsTest, AModelThatDoesNotBatchHasOneReasonAndNoLimit) {
  const auto handle = metrics_.Add({"m", 1}, {}, Stats());
  handle->ReportFrom([] { return core::SchedulerReport(); });
  EXPECT_THAT(Page(), HasSubstr("reason=\"not_batching\"} 0"));
  EXPECT_THAT(Page(), Not(HasSubstr("reason=\"full\"")));
  EXPECT_THAT(Page(), Not(HasSubstr("inferd_concurrency_limit")));
}

TEST_F(InferenceMetricsTest, WhatAnEndedLoadHasCountedStays) {
  auto old_handle = metrics_.Add({"m", 1}, {}, Stats());
  old_handle->ReportFrom([] { return Report(7, 3); });
  const auto new_handle = metrics_.Add({"m", 1}, {}, Stats());
  new_handle->ReportFrom([] { return Report(1, 1); });
  EXPECT_THAT(Page(), HasSubstr("priority=\"1\"} 4"));
  EXPECT_THAT(Page(), HasSubstr("reason=\"full\"} 8"));
  old_handle->StopReporting();
  old_handle.reset();
  EXPECT_THAT(Page(), HasSubstr("priority=\"1\"} 1")) << "what waited was answered";
  EXPECT_THAT(Page(), HasSubstr("reason=\"full\"} 8"));
  EXPECT_THAT(Page(), HasSubstr("inferd_resource_wait_seconds_total{model=\"m\",version=\"1\"} 0.5"));
}

TEST_F(InferenceMetricsTest, MetricTagsAreLabels) {
  const auto handle = metrics_.Add({"m", 1}, {{"team", "vision"}}, Stats());
  EXPECT_THAT(Page(), HasSubstr("nv_inference_count{model=\"m\",version=\"1\",_team=\"vision\"} 0"));
}

}  // namespace
}  // namespace inferd::scheduling

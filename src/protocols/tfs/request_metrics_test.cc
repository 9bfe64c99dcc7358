#include "protocols/tfs/request_metrics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace inferd::tfs {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(RequestMetricsTest, CountsUnderTensorflowServingsNames) {
  metrics::Registry registry;
  RequestMetrics one(registry, "REST");
  RequestMetrics other(registry, "REST");
  one.Count("m", Api::kPredict, base::StatusCode::kOk, 15'000);
  other.Count("m", Api::kPredict, base::StatusCode::kOk, 9'000);
  one.Count("m", Api::kClassify, base::StatusCode::kInvalidArgument, 1'000);
  one.Count("n", Api::kRegress, base::StatusCode::kOk, 1'000);
  RequestMetrics(registry, "GRPC").Count("n", Api::kMultiInference, base::StatusCode::kOk, 1'000);
  const std::string page = registry.PrometheusText();
  EXPECT_THAT(page, HasSubstr(R"(:tensorflow:serving:request_count{model_name="m",status="OK"} 2)"));
  EXPECT_THAT(page, HasSubstr(R"(:tensorflow:serving:request_count{model_name="m",status="INVALID_ARGUMENT"} 1)"));
  EXPECT_THAT(page, HasSubstr(R"(request_latency_bucket{model_name="m",API="Predict",entrypoint="REST",le="10"} 1)"));
  EXPECT_THAT(page, HasSubstr(R"(request_latency_bucket{model_name="m",API="Predict",entrypoint="REST",le="18"} 2)"));
  EXPECT_THAT(page, HasSubstr(R"(request_latency_count{model_name="n",API="Regress",entrypoint="REST"} 1)"));
  EXPECT_THAT(page, HasSubstr(R"(request_latency_count{model_name="n",API="MultiInference",entrypoint="GRPC"} 1)"));
  EXPECT_THAT(page, Not(HasSubstr(R"(API="Classify")"))) << "failures have no latency";
}

TEST(RequestMetricsTest, WhatModelsTookAndExamplesThereWere) {
  metrics::Registry registry;
  RequestMetrics metrics(registry, "REST");
  metrics.CountRuntime("m", Api::kClassify, 15'000);
  metrics.CountExamples("m", 3);
  metrics.CountExamples("m", 1);
  const std::string page = registry.PrometheusText();
  EXPECT_THAT(page, HasSubstr(R"(runtime_latency_bucket{model_name="m",API="Classify",runtime="TF1",le="18"} 1)"));
  EXPECT_THAT(page, HasSubstr(R"(:tensorflow:serving:request_example_counts_bucket{model="m",le="1"} 1)"));
  EXPECT_THAT(page, HasSubstr(R"(:tensorflow:serving:request_example_counts_count{model="m"} 2)"));
  EXPECT_THAT(page, HasSubstr(R"(:tensorflow:serving:request_example_count_total{model="m"} 4)"));
}

}  // namespace
}  // namespace inferd::tfs

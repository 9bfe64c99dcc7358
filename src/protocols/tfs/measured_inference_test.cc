#include "protocols/tfs/measured_inference.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <utility>

#include "base/metrics/registry.h"

namespace inferd::tfs {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class MeasuredInferenceTest : public ::testing::Test {
 protected:
  static core::InferRequest RequestOf(tensor::Shape shape) {
    core::InferRequest request;
    request.inputs.emplace_back().shape = std::move(shape);
    return request;
  }
  std::string Page() { return registry_.PrometheusText(); }

  metrics::Registry registry_;
  RequestMetrics metrics_{registry_, "GRPC"};
};

TEST_F(MeasuredInferenceTest, TimesAndExamples) {
  MeasuredInference measured(Api::kClassify, 1'000);
  const core::InferRequest request = RequestOf({3, 5});
  measured.OnDispatch(request, 3'000);
  measured.OnFinal(14'000);
  measured.Count(metrics_, "m", base::StatusCode::kOk, 21'000);
  EXPECT_THAT(Page(), HasSubstr(R"(request_latency_sum{model_name="m",API="Classify",entrypoint="GRPC"} 20)"));
  EXPECT_THAT(Page(), HasSubstr(R"(runtime_latency_sum{model_name="m",API="Classify",runtime="TF1"} 11)"));
  EXPECT_THAT(Page(), HasSubstr(R"(:tensorflow:serving:request_example_count_total{model="m"} 3)"));
}

TEST_F(MeasuredInferenceTest, WhatWasNotDispatchedHasNeither) {
  MeasuredInference(Api::kRegress, 0).Count(metrics_, "m", base::StatusCode::kInvalidArgument, 1'000);
  EXPECT_THAT(Page(), HasSubstr(R"(request_count{model_name="m",status="INVALID_ARGUMENT"} 1)"));
  EXPECT_THAT(Page(), Not(HasSubstr("runtime_latency")));
  EXPECT_THAT(Page(), Not(HasSubstr("request_example_count")));
}

TEST_F(MeasuredInferenceTest, PredictionsHaveNoExamples) {
  MeasuredInference measured(Api::kPredict, 0);
  const core::InferRequest request = RequestOf({3});
  measured.OnDispatch(request, 1'000);
  measured.OnFinal(2'000);
  measured.Count(metrics_, "m", base::StatusCode::kOk, 3'000);
  EXPECT_THAT(Page(), HasSubstr(R"(runtime_latency_count{model_name="m",API="Predict",runtime="TF1"} 1)"));
  EXPECT_THAT(Page(), Not(HasSubstr("request_example_count")));
}

}  // namespace
}  // namespace inferd::tfs

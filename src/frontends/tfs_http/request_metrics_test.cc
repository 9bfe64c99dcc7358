#include "frontends/tfs_http/request_metrics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace inferd::tfs_http {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(RequestMetricsTest, CountsUnderTensorflowServingsNames) {
  metrics::Registry registry;
  RequestMetrics one(registry);
  RequestMetrics other(registry);
  one.Count("m", Endpoint::kPredict, base::StatusCode::kOk, 15'000);
  other.Count("m", Endpoint::kPredict, base::StatusCode::kOk, 9'000);
  one.Count("m", Endpoint::kClassify, base::StatusCode::kInvalidArgument, 1'000);
  one.Count("n", Endpoint::kRegress, base::StatusCode::kOk, 1'000);
  const std::string page = registry.PrometheusText();
  EXPECT_THAT(page, HasSubstr(R"(:tensorflow:serving:request_count{model_name="m",status="OK"} 2)"));
  EXPECT_THAT(page, HasSubstr(R"(:tensorflow:serving:request_count{model_name="m",status="INVALID_ARGUMENT"} 1)"));
  EXPECT_THAT(page, HasSubstr(R"(request_latency_bucket{model_name="m",API="Predict",entrypoint="REST",le="10"} 1)"));
  EXPECT_THAT(page, HasSubstr(R"(request_latency_bucket{model_name="m",API="Predict",entrypoint="REST",le="18"} 2)"));
  EXPECT_THAT(page, HasSubstr(R"(request_latency_count{model_name="n",API="Regress",entrypoint="REST"} 1)"));
  EXPECT_THAT(page, Not(HasSubstr(R"(API="Classify")"))) << "failures have no latency";
}

}  // namespace
}  // namespace inferd::tfs_http

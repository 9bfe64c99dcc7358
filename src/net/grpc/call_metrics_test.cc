#include "net/grpc/call_metrics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace inferd::net::grpc {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(CallMetricsTest, CountsByMethodAndCode) {
  metrics::Registry registry;
  CallMetrics metrics(registry);
  CallMetrics::OfMethod one = metrics.ForMethod("/s.S/M");
  CallMetrics::OfMethod same = metrics.ForMethod("/s.S/M");  // of another loop
  EXPECT_THAT(registry.PrometheusText(), Not(HasSubstr("inferd_grpc_calls_total{")));
  one.Count(base::StatusCode::kOk, 1'000'000);
  same.Count(base::StatusCode::kOk, 1'000'000);
  same.Count(base::StatusCode::kUnauthenticated, 0);
  const std::string text = registry.PrometheusText();
  EXPECT_THAT(text, HasSubstr(R"(inferd_grpc_calls_total{method="s.S/M",code="OK"} 2)"));
  EXPECT_THAT(text, HasSubstr(R"(inferd_grpc_calls_total{method="s.S/M",code="UNAUTHENTICATED"} 1)"));
  EXPECT_THAT(text, HasSubstr(R"(inferd_grpc_call_duration_seconds_count{method="s.S/M",code="OK"} 2)"));
  EXPECT_THAT(text, HasSubstr(R"(inferd_grpc_call_duration_seconds_count{method="s.S/M",code="UNAUTHENTICATED"} 1)"));
}

TEST(CallMetricsTest, CountsNothingByDefault) {
  CallMetrics::OfMethod none;
  none.Count(base::StatusCode::kOk, 1);
}

}  // namespace
}  // namespace inferd::net::grpc

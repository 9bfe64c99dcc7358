#include "server/http/vital_requests.h"

#include <gtest/gtest.h>

#include "net/http/target.h"

namespace inferd::server {
namespace {

bool IsVital(net::Method method, std::string_view target) {
  net::RequestHead head;
  head.method = method;
  head.target = target;
  EXPECT_TRUE(net::ParseTarget(target, head).ok()) << target;
  return VitalRequests("/monitoring/prometheus/metrics")(head);
}

TEST(VitalRequestsTest, HealthAndMetricsOfEveryProtocol) {
  for (const char* target :
       {"/v2/health/live", "/v2/health/ready", "/v2/models/m/ready", "/v2/models/m/versions/1/ready", "/metrics",
        "/v1/models/m", "/v1/models/m/versions/1", "/monitoring/prometheus/metrics", "/v2/health/ready?verbose"}) {
    EXPECT_TRUE(IsVital(net::Method::kGet, target)) << target;
    EXPECT_FALSE(IsVital(net::Method::kPost, target)) << target;
  }
  for (const char* target :
       {"/grpc.health.v1.Health/Check", "/inference.GRPCInferenceService/ServerLive",
        "/inference.GRPCInferenceService/ServerReady", "/inference.GRPCInferenceService/ModelReady"}) {
    EXPECT_TRUE(IsVital(net::Method::kPost, target)) << target;
  }
}

TEST(VitalRequestsTest, NothingElse) {
  for (const char* target : {"/", "/v2", "/v2/models", "/v2/models/m", "/v2/models/m/stats", "/v2/logging",
                             "/v1/models", "/v1/models/m/metadata", "/elsewhere"}) {
    EXPECT_FALSE(IsVital(net::Method::kGet, target)) << target;
  }
  for (const char* target : {"/v2/models/m/infer", "/v1/models/m:predict", "/v2/repository/index",
                             "/inference.GRPCInferenceService/ModelInfer", "/grpc.health.v1.Health/Watch"}) {
    EXPECT_FALSE(IsVital(net::Method::kPost, target)) << target;
  }
}

}  // namespace
}  // namespace inferd::server

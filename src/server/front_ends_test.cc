#include "server/front_ends.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "config/personality.h"
#include "net/http/target.h"
#include "protocols/kserve_v1/front_end.h"
#include "protocols/oip_grpc/front_end.h"
#include "protocols/oip_http/front_end.h"
#include "protocols/tfs_grpc/front_end.h"
#include "protocols/tfs_http/front_end.h"

namespace inferd::server {
namespace {

config::ServerOptions Defaults(const config::Personality& personality = config::DefaultPersonality()) {
  config::ServerOptions options;
  options.personality = &personality;
  return options;
}

bool IsVital(net::Method method, std::string_view target) {
  const config::ServerOptions options = Defaults();
  base::ByteBudget outputs(1 << 20);
  net::RequestHead head;
  head.method = method;
  head.target = target;
  EXPECT_TRUE(net::ParseTarget(target, head).ok()) << target;
  const protocol::FrontEnds front_ends = MakeFrontEnds({.options = options, .outputs = outputs});
  return std::ranges::any_of(front_ends, [&head](const auto& front_end) { return front_end->IsVital(head); });
}

TEST(FrontEndsTest, HealthAndMetricsOfEveryProtocolAreVital) {
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

TEST(FrontEndsTest, NothingElseIsVital) {
  for (const char* target : {"/v2", "/v2/models", "/v2/models/m", "/v2/models/m/stats", "/v2/logging", "/v1/models",
                             "/v1/models/m/metadata", "/elsewhere"}) {
    EXPECT_FALSE(IsVital(net::Method::kGet, target)) << target;
  }
  for (const char* target : {"/v2/models/m/infer", "/v1/models/m:predict", "/v2/repository/index",
                             "/inference.GRPCInferenceService/ModelInfer", "/grpc.health.v1.Health/Watch"}) {
    EXPECT_FALSE(IsVital(net::Method::kPost, target)) << target;
  }
}

TEST(FrontEndsTest, KservesV1) {
  EXPECT_TRUE(IsVital(net::Method::kGet, "/"));
  config::ServerOptions options = Defaults();
  kserve_v1::Share share = kserve_v1::OptionsOf(options).share;
  EXPECT_TRUE(share.events && share.own && !share.predictions && !share.status);
  options.v1_predict = config::V1Predict::kKserve;
  options.v1_status = config::V1Status::kKserve;
  share = kserve_v1::OptionsOf(options).share;
  EXPECT_TRUE(share.events && share.own && share.predictions && share.status);
  options.v1_predict = config::V1Predict::kTfs;
  options.v1_status = config::V1Status::kTfs;
  share = kserve_v1::OptionsOf(options).share;
  EXPECT_FALSE(share.events || share.own || share.predictions || share.status);
}

// Returns true if TensorFlow Serving's front-end claims the path.
bool IsTensorflowServings(const config::Personality& personality, std::string_view target) {
  const config::ServerOptions options = Defaults(personality);
  base::ByteBudget outputs(1 << 20);
  net::RequestHead head;
  head.method = net::Method::kGet;
  head.target = target;
  EXPECT_TRUE(net::ParseTarget(target, head).ok()) << target;
  return tfs_http::MakeFrontEnd({.options = options, .outputs = outputs})->Claims(head);
}

TEST(FrontEndsTest, PathsThatAreNoneAreNotTensorflowServingsInThePlaceOfKserve) {
  for (const char* target : {"/v1/nosuch", "/v1", "/v1/models/m/nosuch", "/v1/models/m/versions/x"}) {
    EXPECT_TRUE(IsTensorflowServings(config::DefaultPersonality(), target)) << target;
    EXPECT_FALSE(IsTensorflowServings(config::KservePersonality(), target)) << target;
  }
  EXPECT_TRUE(IsTensorflowServings(config::KservePersonality(), "/v1/models/m/metadata"));
}

TEST(FrontEndsTest, TensorflowServingsRestApi) {
  config::ServerOptions options = Defaults();
  EXPECT_EQ(tfs_http::OptionsOf(options).v1_status, tfs_http::V1Status::kUnion);
  EXPECT_FALSE(tfs_http::OptionsOf(options).cors);
  options.v1_status = config::V1Status::kTfs;
  options.tfs_cors = true;
  options.tfs_result_key = config::TfsResultKey::kResults;
  options.limits.json_depth_max = 7;
  options.limits.body_bytes_max = 1000;
  const tfs_http::Options tfs = tfs_http::OptionsOf(options);
  EXPECT_EQ(tfs.v1_status, tfs_http::V1Status::kTfs);
  EXPECT_TRUE(tfs.cors);
  EXPECT_EQ(tfs.result_key, tfs_http::ResultKey::kResults);
  EXPECT_EQ(tfs.json_depth_max, 7u);
  EXPECT_EQ(tfs.body_bytes_max, 1000u);
  options.v1_status = config::V1Status::kKserve;
  EXPECT_EQ(tfs_http::OptionsOf(options).v1_status, tfs_http::V1Status::kKserve);
}

TEST(FrontEndsTest, GrpcHasItsOptions) {
  const oip_grpc::Options inference = oip_grpc::OptionsOf(Defaults());
  EXPECT_EQ(inference.queue_full.code, oip_grpc::Options().queue_full.code);
  EXPECT_EQ(inference.queue_full.text, "");
  EXPECT_FALSE(inference.typed_outputs || inference.typed_as_inputs);
  EXPECT_TRUE(oip_grpc::OptionsOf(Defaults(config::KservePersonality())).typed_as_inputs);
  EXPECT_EQ(tfs_grpc::OptionsOf(Defaults()).context_bytes_max, tfs_grpc::Options().context_bytes_max);
  EXPECT_FALSE(tfs_grpc::OptionsOf(Defaults()).tensor_content);
  EXPECT_EQ(tfs_grpc::OptionsOf(Defaults()).unready, tfs::Unready::kUnavailable);
  config::ServerOptions options = Defaults(config::TritonserverPersonality());
  options.grpc_calls.typed_outputs = true;
  options.tfs_grpc_tensor_content = true;
  EXPECT_TRUE(oip_grpc::OptionsOf(options).typed_outputs);
  EXPECT_TRUE(tfs_grpc::OptionsOf(options).tensor_content);
}

TEST(FrontEndsTest, APersonalityBringsItsCodes) {
  EXPECT_EQ(net::HttpStatus(oip_http::OptionsOf(Defaults()).statuses, base::StatusCode::kResourceExhausted), 429);
  const config::ServerOptions triton = Defaults(config::TritonserverPersonality());
  EXPECT_EQ(net::HttpStatus(oip_http::OptionsOf(triton).statuses, base::StatusCode::kResourceExhausted), 503);
  EXPECT_EQ(tfs_grpc::OptionsOf(triton).queue_full.code, base::StatusCode::kUnavailable);
  EXPECT_EQ(oip_grpc::OptionsOf(triton).queue_full.code, base::StatusCode::kUnavailable);
  const config::ServerOptions tensorflow = Defaults(config::TensorflowModelServerPersonality());
  EXPECT_EQ(tfs_grpc::OptionsOf(tensorflow).unready, tfs::Unready::kNotFound);
  for (const core::QueueFull& full :
       {tfs_grpc::OptionsOf(tensorflow).queue_full, tfs_http::OptionsOf(tensorflow).queue_full}) {
    EXPECT_EQ(full.code, base::StatusCode::kUnavailable);
    EXPECT_EQ(full.text, "The batch scheduling queue to which this task was submitted is full");
  }
}

}  // namespace
}  // namespace inferd::server

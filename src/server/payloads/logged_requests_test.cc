#include "server/payloads/logged_requests.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "net/http/target.h"

namespace inferd::server {
namespace {

bool IsLogged(std::string_view target, net::Method method = net::Method::kPost) {
  net::RequestHead head;
  head.method = method;
  head.target = target;
  EXPECT_TRUE(net::ParseTarget(target, head).ok());
  return IsInference(head);
}

TEST(LoggedRequestsTest, InferencesOfEveryProtocolAre) {
  for (const std::string_view target :
       {"/v1/models/m:predict", "/v1/models/m/versions/2:predict", "/v1/models/m:explain", "/v1/models/m:classify",
        "/v1/models/m:regress", "/v2/models/m/infer", "/v2/models/m/versions/1/infer?x=1", "/v2/models/m/generate",
        "/v2/models/m/generate_stream", "/invocations", "/api/infer/m", "/api/infer/m/1",
        "/inference.GRPCInferenceService/ModelInfer", "/tensorflow.serving.PredictionService/Predict",
        "/tensorflow.serving.PredictionService/MultiInference", "/nvidia.inferenceserver.GRPCService/Infer"}) {
    EXPECT_TRUE(IsLogged(target)) << target;
  }
}

TEST(LoggedRequestsTest, OthersAreNot) {
  for (const std::string_view target :
       {"/", "/v2", "/v2/models/m/ready", "/v2/repository/models/m/load", "/v2/repository/index", "/v1/models/m",
        "/v2/trace/setting", "/inference.GRPCInferenceService/ModelStreamInfer",
        "/inference.GRPCInferenceService/ModelReady"}) {
    EXPECT_FALSE(IsLogged(target)) << target;
  }
  EXPECT_FALSE(IsLogged("/v2/models/m/infer", net::Method::kGet));
}

TEST(LoggedRequestsTest, AnOptionAsksForTheLog) {
  metrics::Registry registry;
  const auto logger = base::Logger::Silent();
  EXPECT_EQ(MakePayloadLog({}, *MakeSinks({}), registry, *logger), nullptr);
  EXPECT_FALSE(registry.Has("inferd_payload_log_sent_total"));
  config::PayloadLogOptions options;
  options.url = "ftp://x";
  EXPECT_THAT(MakeSinks(options).error().message(), ::testing::HasSubstr("--payload-log-url: "));
  options.url = "http://127.0.0.1:9/";
  options.mode = config::PayloadLogMode::kResponse;
  const auto log = MakePayloadLog(options, *MakeSinks(options), registry, *logger);
  ASSERT_NE(log, nullptr);
  EXPECT_EQ(log->mode(), payloadlog::LogMode::kResponse);
  EXPECT_TRUE(registry.Has("inferd_payload_log_sent_total"));
}

}  // namespace
}  // namespace inferd::server

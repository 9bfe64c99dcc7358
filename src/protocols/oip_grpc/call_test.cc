#include "protocols/oip_grpc/call.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <fstream>

#include "protocols/oip_grpc/service_fixture.h"

namespace inferd::oip_grpc {
namespace {

constexpr const char* kTrace = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";

class AccessLogTest : public ::testing::Test {
 protected:
  AccessLogTest() : service_(Log()) { service_.options.access_log = true; }
  ~AccessLogTest() override { std::remove(File().c_str()); }

  static std::string File() { return ::testing::TempDir() + "inferd_oip_grpc_call_test.log"; }
  static std::unique_ptr<base::Logger> Log() {
    std::remove(File().c_str());
    return *base::Logger::Create({.format = base::LogFormat::kJson, .file = File()});
  }
  std::vector<std::string> Lines() {
    std::ifstream file(File());
    std::vector<std::string> lines;
    for (std::string line; std::getline(file, line);) lines.push_back(line);
    return lines;
  }

  TestService service_;
};

void ExpectIn(const std::string& line, std::initializer_list<std::string_view> parts) {
  for (const std::string_view part : parts) EXPECT_NE(line.find(part), std::string::npos) << part << " in " << line;
}

TEST_F(AccessLogTest, OneLineForACall) {
  service_.Ask("ModelInfer", InferRequest(), {{"traceparent", kTrace}});
  inference::ModelInferRequest unknown = InferRequest();
  unknown.set_model_name("nobody");
  service_.Ask("ModelInfer", unknown);
  service_.Ask("ServerLive", "");
  inference::ModelReadyRequest ready;
  ready.set_name("m");
  ready.set_version("4");
  service_.Ask("ModelReady", ready);
  const std::vector<std::string> lines = Lines();
  ASSERT_EQ(lines.size(), 4u);
  ExpectIn(lines[0], {R"("target":"/inference.GRPCInferenceService/ModelInfer")", R"("status":"OK")", R"("model":"m")",
                      R"("version":1,)", R"("request_id":"7")", kTrace});
  EXPECT_EQ(lines[0].find("error"), std::string::npos) << lines[0];
  ExpectIn(lines[1], {R"("status":"NOT_FOUND")", R"("model":"nobody","version":null,)", R"("error":")"});
  ExpectIn(lines[2], {"ServerLive", R"("status":"OK")", R"("model":"","version":null,)"});
  ExpectIn(lines[3], {"ModelReady", R"("model":"m","version":4,)"});
}

TEST_F(AccessLogTest, ACallThatNobodyWaitsFor) {
  std::vector<core::Completion> held;
  service_.dispatcher.infer = [&](const core::PinnedModel&, const core::InferRequest&, core::Completion done) {
    held.push_back(std::move(done));
  };
  auto gone = service_.Open("ModelInfer");
  gone->Unary(InferRequest().SerializeAsString());
  auto late = service_.Open("ModelInfer", {{"grpc-timeout", "20m"}});
  late->Unary(InferRequest().SerializeAsString());
  auto late_stream = service_.Open("ModelStreamInfer", {{"grpc-timeout", "20m"}});
  late_stream->Message(InferRequest().SerializeAsString());
  gone->Vanish();
  service_.server.clock.AdvanceMs(30);
  service_.server.loop.Advance(std::chrono::milliseconds(30));
  for (core::Completion& completion : held) completion.Send({});
  service_.Settle();
  const std::vector<std::string> lines = Lines();
  ASSERT_EQ(lines.size(), 3u);
  ExpectIn(lines[0], {"ModelStreamInfer", R"("status":"DEADLINE_EXCEEDED")"});
  ExpectIn(lines[1], {"ModelInfer", R"("status":"CANCELLED")"});
  ExpectIn(lines[2], {"ModelInfer", R"("status":"DEADLINE_EXCEEDED")"});
}

TEST_F(AccessLogTest, OneLineForAStreamWhenItEnds) {
  auto stream = service_.Open("ModelStreamInfer", {{"traceparent", kTrace}});
  stream->Message(InferRequest().SerializeAsString());
  EXPECT_TRUE(Lines().empty());
  stream->End();
  service_.Settle();
  auto dropped = service_.Open("ModelStreamInfer");
  dropped->Message(InferRequest().SerializeAsString());
  dropped->Vanish();
  service_.Settle();
  const std::vector<std::string> lines = Lines();
  ASSERT_EQ(lines.size(), 2u);
  ExpectIn(lines[0], {"ModelStreamInfer", R"("status":"OK")", kTrace});
  ExpectIn(lines[1], {"ModelStreamInfer", R"("status":"CANCELLED")"});
}

// Makes the methods again, since logging is decided when they are made.
TEST_F(AccessLogTest, AVerboseLineForACallAsTritonHasIt) {
  service_.options.access_log = false;
  service_.options.triton_exact = true;
  service_.Serve();
  service_.Ask("ServerLive", "");
  EXPECT_EQ(Lines().size(), 0u);
  service_.logger->SetVerboseLevel(1);
  service_.Ask("ServerLive", "");
  service_.Ask("ModelInfer", InferRequest());
  auto stream = service_.Open("ModelStreamInfer");
  stream->Message(InferRequest().SerializeAsString());
  const std::vector<std::string> lines = Lines();
  ASSERT_EQ(lines.size(), 3u);
  ExpectIn(lines[0], {"Process for ServerLive, rpc_ok=1, ", " step START"});
  ExpectIn(lines[1], {"Process for ModelInferHandler, rpc_ok=1, "});
  ExpectIn(lines[2], {"Process for ModelStreamInferHandler, rpc_ok=1, "});
}

}  // namespace
}  // namespace inferd::oip_grpc

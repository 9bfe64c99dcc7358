#include "protocols/oip_http/infer_call.h"

#include <gtest/gtest.h>

#include <cstring>

#include "net/compression/compression.h"
#include "protocols/oip_http/handler_fixture.h"

namespace inferd::oip_http {
namespace {

constexpr std::string_view kInfer = "/v2/models/m/infer";
constexpr std::string_view kRequest =
    R"({"id":"7","inputs":[{"name":"x","shape":[2],"datatype":"INT32","data":[1,-2]}]})";
constexpr std::string_view kAnswer =
    R"({"model_name":"m","model_version":"1","id":"7","outputs":[{"name":"x","datatype":"INT32","shape":[2],"data":[1,-2]}]})";

class InferCallTest : public ::testing::Test {
 protected:
  InferCallTest() { server_.dispatcher.models["m"] = std::make_shared<FakePinned>(); }
  TestServer server_;
};

TEST_F(InferCallTest, SmallRequestsNeverLeaveTheLoop) {
  server_.Start(TestServer::Request(net::Method::kPost, kInfer, kRequest));
  ASSERT_EQ(server_.exchange.responses.size(), 1u);
  EXPECT_EQ(server_.exchange.responses[0].status, 200);
  EXPECT_EQ(BodyText(server_.exchange.responses[0]), kAnswer);
  EXPECT_EQ(server_.pool.queued(), 0u);
  EXPECT_EQ(server_.dispatcher.last->model_name, "m");
}

TEST_F(InferCallTest, BigRequestsAndResponsesGoByWayOfThePool) {
  server_.options.offload_bytes = 10;
  server_.Start(TestServer::Request(net::Method::kPost, kInfer, kRequest));
  EXPECT_EQ(server_.pool.queued(), 1u);
  EXPECT_EQ(server_.dispatcher.last, nullptr);
  EXPECT_EQ(server_.pool.RunAll(), 1u);
  EXPECT_EQ(server_.loop.RunAll(), 1u);
  EXPECT_NE(server_.dispatcher.last, nullptr);
  EXPECT_TRUE(server_.exchange.responses.empty());
  EXPECT_EQ(server_.pool.RunAll(), 1u);
  EXPECT_EQ(server_.loop.RunAll(), 1u);
  ASSERT_EQ(server_.exchange.responses.size(), 1u);
  EXPECT_EQ(BodyText(server_.exchange.responses[0]), kAnswer);
}

TEST_F(InferCallTest, AnswersFromOtherThreadsArePostedToTheLoop) {
  core::Completion completion;
  server_.dispatcher.infer = [&](const core::PinnedModel&, const core::InferRequest&, core::Completion done) {
    completion = std::move(done);
  };
  server_.Start(TestServer::Request(net::Method::kPost, kInfer, kRequest));
  server_.loop.in_loop = false;
  FakeDispatcher::Echo(FakePinned(), *server_.dispatcher.last, std::move(completion));
  EXPECT_TRUE(server_.exchange.responses.empty());
  server_.loop.in_loop = true;
  server_.loop.RunAll();
  ASSERT_EQ(server_.exchange.responses.size(), 1u);
  EXPECT_EQ(BodyText(server_.exchange.responses[0]), kAnswer);
}

TEST_F(InferCallTest, UnknownModelsComeBeforeBadBodies) {
  const net::HttpResponse response = server_.Post("/v2/models/nobody/infer", "not JSON");
  EXPECT_EQ(response.status, 404);
  EXPECT_EQ(BodyText(response), R"({"error":"Request for unknown model: 'nobody' is not found"})");
  EXPECT_EQ(server_.Post("/v2/models/m/versions/v10/infer", kRequest).status, 404);
  EXPECT_EQ(server_.Post("/v2/models/m/versions/1/infer", kRequest).status, 200);
}

TEST_F(InferCallTest, EveryStatusHasItsCodeAndText) {
  const std::pair<base::StatusCode, int> cases[] = {
      {base::StatusCode::kInvalidArgument, 400},   {base::StatusCode::kFailedPrecondition, 400},
      {base::StatusCode::kOutOfRange, 400},        {base::StatusCode::kUnauthenticated, 401},
      {base::StatusCode::kPermissionDenied, 403},  {base::StatusCode::kNotFound, 404},
      {base::StatusCode::kAlreadyExists, 409},     {base::StatusCode::kAborted, 409},
      {base::StatusCode::kResourceExhausted, 429}, {base::StatusCode::kCancelled, 499},
      {base::StatusCode::kInternal, 500},          {base::StatusCode::kUnknown, 500},
      {base::StatusCode::kDataLoss, 500},          {base::StatusCode::kUnimplemented, 501},
      {base::StatusCode::kUnavailable, 503},       {base::StatusCode::kDeadlineExceeded, 504},
  };
  for (const auto& [code, http] : cases) {
    server_.dispatcher.infer = [failure = code](const core::PinnedModel&, const core::InferRequest&,
                                                core::Completion done) {
      core::InferResponse response;
      response.status = base::Status(failure, "why \"not\"");
      response.retry_after_ms = 1500;
      done.Send(std::move(response));
    };
    const net::HttpResponse response = server_.Post(kInfer, kRequest);
    EXPECT_EQ(response.status, http);
    EXPECT_EQ(BodyText(response), R"({"error":"why \"not\""})");
    EXPECT_EQ(HeaderValue(response, "Retry-After"), http == 429 || http == 503 ? "2" : "");
  }
}

TEST_F(InferCallTest, ADroppedRequestIsAnswered) {
  server_.dispatcher.infer = [](const core::PinnedModel&, const core::InferRequest&, core::Completion) {};
  EXPECT_EQ(server_.Post(kInfer, kRequest).status, 500);
}

TEST_F(InferCallTest, BinaryBothWays) {
  const std::string json =
      R"({"parameters":{"binary_data_output":true},"inputs":[{"name":"x","shape":[4],"datatype":"INT8",)"
      R"("parameters":{"binary_data_size":4}}]})";
  const std::string length = std::to_string(json.size());
  const net::HttpResponse response = server_.Post(kInfer, json + "abcd", {{"Inference-Header-Content-Length", length}});
  EXPECT_EQ(response.status, 200) << BodyText(response);
  EXPECT_EQ(response.body.back().data(), server_.dispatcher.last->inputs[0].data.data());  // echoed without a copy
  EXPECT_EQ(response.body.back().view(), "abcd");
}

TEST_F(InferCallTest, BinaryTensorsReachTheDispatcherWhereTheyArrivedAndAligned) {
  const std::string json =
      R"({"parameters":{"binary_data_output":true},)"
      R"("inputs":[{"name":"x","shape":[65536],"datatype":"FP32","parameters":{"binary_data_size":262144}}]})";
  const std::string length = std::to_string(json.size());
  net::HttpRequest request =
      TestServer::Request(net::Method::kPost, kInfer, "", {{"Inference-Header-Content-Length", length}});
  request.head.content_length = json.size() + 262144;
  const net::BodyPlan plan = server_.handler->OnHead(request.head);
  base::Buffer body = base::Buffer::Allocate(json.size() + 262144, plan.align_at);
  std::memcpy(body.data(), json.data(), json.size());
  std::memset(body.data() + json.size(), 0, 262144);
  const std::byte* const tensor = body.data() + json.size();
  request.body = base::BufferSlice(std::move(body));
  server_.Start(std::move(request));
  ASSERT_NE(server_.dispatcher.last, nullptr);
  EXPECT_EQ(server_.dispatcher.last->inputs[0].data.data(), tensor);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(tensor) % base::kBufferAlignment, 0u);
  EXPECT_EQ(server_.pool.queued(), 0u) << "only JSON counts as big";
}

TEST_F(InferCallTest, RawBinaryRequest) {
  core::TensorSpec& input = server_.dispatcher.models["m"]->signature_.inputs.emplace_back();
  input.name = "x";
  input.datatype = tensor::DataType::kFp32;
  input.shape = {-1};
  const net::HttpResponse response = server_.Post(kInfer, "12345678", {{"Inference-Header-Content-Length", "0"}});
  EXPECT_EQ(response.status, 200);
  EXPECT_EQ(response.body.back().view(), "12345678");
  EXPECT_EQ(server_.Post(kInfer, "123", {{"Inference-Header-Content-Length", "0"}}).status, 400);
}

TEST_F(InferCallTest, CompressedBothWays) {
  server_.options.compress_bytes_min = 1;
  const base::BufferSlice plain(base::Buffer::CopyOf(kRequest));
  for (const char* coding : {"gzip", "deflate"}) {
    const net::ContentCoding parsed = *net::ParseContentCoding(coding);
    const base::BufferSlice body = *net::Compress(parsed, std::span(&plain, 1));
    const net::HttpResponse response =
        server_.Post(kInfer, body.view(), {{"Content-Encoding", coding}, {"Accept-Encoding", coding}});
    EXPECT_EQ(response.status, 200) << BodyText(response);
    EXPECT_EQ(HeaderValue(response, "Content-Encoding"), coding);
    const auto answer = net::Decompress(parsed, response.body[0], {});
    ASSERT_TRUE(answer.has_value());
    EXPECT_EQ(answer->view(), kAnswer);
  }
}

TEST_F(InferCallTest, CorruptCompressionIs400AndABomb413) {
  EXPECT_EQ(server_.Post(kInfer, "not gzip", {{"Content-Encoding", "gzip"}}).status, 400);
  const base::BufferSlice zeros(base::Buffer::CopyOf(std::string(16 << 20, ' ')));
  const base::BufferSlice bomb = *net::Compress(net::ContentCoding::kGzip, std::span(&zeros, 1), 9);
  EXPECT_EQ(server_.Post(kInfer, bomb.view(), {{"Content-Encoding", "gzip"}}).status, 413);
  server_.options.body_bytes_max = 10;
  const base::BufferSlice plain(base::Buffer::CopyOf(kRequest));
  const base::BufferSlice body = *net::Compress(net::ContentCoding::kGzip, std::span(&plain, 1));
  EXPECT_EQ(server_.Post(kInfer, body.view(), {{"Content-Encoding", "gzip"}}).status, 413);
}

TEST_F(InferCallTest, ACompressedBodyShorterThanItsJsonIs400) {
  const base::BufferSlice plain(base::Buffer::CopyOf(kRequest));
  const base::BufferSlice body = *net::Compress(net::ContentCoding::kGzip, std::span(&plain, 1));
  const net::HttpResponse response =
      server_.Post(kInfer, body.view(), {{"Content-Encoding", "gzip"}, {"Inference-Header-Content-Length", "5000"}});
  EXPECT_EQ(response.status, 400);
}

TEST_F(InferCallTest, APeerThatIsGoneCancels) {
  core::Completion completion;
  server_.dispatcher.infer = [&](const core::PinnedModel&, const core::InferRequest&, core::Completion done) {
    completion = std::move(done);
  };
  server_.Start(TestServer::Request(net::Method::kPost, kInfer, kRequest));
  ASSERT_TRUE(server_.exchange.on_peer_gone);
  EXPECT_FALSE(server_.dispatcher.last->cancel->cancelled());
  server_.exchange.on_peer_gone();
  server_.exchange.Close();
  EXPECT_TRUE(server_.dispatcher.last->cancel->cancelled());
  completion.Fail(base::Cancelled("gone"));
  EXPECT_TRUE(server_.exchange.responses.empty());
}

TEST_F(InferCallTest, OneOfManyResponsesIsAllThatHttpCarries) {
  int responses = 1;
  server_.dispatcher.infer = [&](const core::PinnedModel& pinned, const core::InferRequest& request,
                                 core::Completion done) {
    for (int i = 0; i < responses; ++i) {
      core::InferResponse response;
      response.model_name = request.model_name;
      response.model_version = pinned.version();
      response.id = request.id;
      response.outputs.assign(request.inputs.begin(), request.inputs.end());
      response.final = false;
      done.Send(std::move(response));
    }
    done.Send({});
  };
  EXPECT_EQ(BodyText(server_.Post(kInfer, kRequest)), kAnswer);
  responses = 2;
  EXPECT_EQ(server_.Post(kInfer, kRequest).status, 501);
}

TEST_F(InferCallTest, HeadersThatMatchBecomeParameters) {
  server_.Post(kInfer, kRequest, {{"X-Tenant", "a"}});
  EXPECT_TRUE(server_.dispatcher.last->parameters.empty());
  server_.options.forwarded_headers = *base::NamePattern::Create("^x-");
  server_.Post(kInfer, kRequest, {{"X-Tenant", "a"}, {"Host", "h"}});
  const core::Parameters expected = {{"X-Tenant", core::ParameterValue(std::string("a"))}};
  EXPECT_EQ(server_.dispatcher.last->parameters, expected);
  server_.options.forwarded_headers = *base::NamePattern::Create("priority");
  EXPECT_EQ(server_.Post(kInfer, kRequest, {{"Priority", "1"}}).status, 200);
  EXPECT_EQ(server_.Post(kInfer, kRequest, {{"priority", "1"}}).status, 400);
}

TEST_F(InferCallTest, TraceparentIsKeptIfItIsOne) {
  constexpr std::string_view kParent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
  server_.Post(kInfer, kRequest, {{"traceparent", kParent}});
  EXPECT_EQ(server_.dispatcher.last->traceparent, kParent);
  server_.Post(kInfer, kRequest, {{"traceparent", "00-0AF7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"}});
  EXPECT_EQ(server_.dispatcher.last->traceparent, "");
}

TEST_F(InferCallTest, ARequestWaitsForItsModelToBeLoaded) {
  const auto loaded = server_.dispatcher.models.extract("m").mapped();
  server_.dispatcher.on_demand = true;
  server_.Start(TestServer::Request(net::Method::kPost, kInfer, kRequest));
  ASSERT_EQ(server_.dispatcher.demands.size(), 1u);
  EXPECT_EQ(server_.dispatcher.demands[0].model, "m");
  EXPECT_FALSE(server_.dispatcher.demands[0].cancel->cancelled());
  EXPECT_TRUE(server_.exchange.responses.empty());
  server_.dispatcher.demands[0].done({.status = {}, .model = loaded, .retry_after_ms = 0});
  EXPECT_TRUE(server_.exchange.responses.empty()) << "it goes on on its loop";
  server_.loop.RunAll();
  ASSERT_EQ(server_.exchange.responses.size(), 1u);
  EXPECT_EQ(BodyText(server_.exchange.responses[0]), kAnswer)
      << "by the version that it waited for, whatever is found now";
}

TEST_F(InferCallTest, ALoadThatFailsIsTheAnswer) {
  server_.dispatcher.models.clear();
  server_.dispatcher.on_demand = true;
  server_.Start(TestServer::Request(net::Method::kPost, kInfer, kRequest));
  ASSERT_EQ(server_.dispatcher.demands.size(), 1u);
  server_.dispatcher.demands[0].done(
      {.status = base::Unavailable("no such operator"), .model = nullptr, .retry_after_ms = 1000});
  server_.Settle();
  ASSERT_EQ(server_.exchange.responses.size(), 1u);
  EXPECT_EQ(server_.exchange.responses[0].status, 503);
  EXPECT_EQ(HeaderValue(server_.exchange.responses[0], "Retry-After"), "1");
  EXPECT_EQ(BodyText(server_.exchange.responses[0]), R"({"error":"no such operator"})");
}

}  // namespace
}  // namespace inferd::oip_http

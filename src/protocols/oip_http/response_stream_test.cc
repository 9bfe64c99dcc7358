#include <gtest/gtest.h>

#include <cstring>
#include <string>

#include "protocols/oip_http/handler_fixture.h"
#include "serving/core/request/response_flow.h"

namespace inferd::oip_http {
namespace {

constexpr std::string_view kOneNumber =
    R"({"id":"7","inputs":[{"name":"x","shape":[1],"datatype":"INT32","data":[1]}]})";
const TestServer::Headers kServerSent = {{"Accept", "text/event-stream"}};

core::InferResponse Number(int32_t value, bool final = false) {
  core::InferResponse response;
  response.model_name = "m";
  response.model_version = "1";
  response.final = final;
  base::Buffer data = base::Buffer::Allocate(sizeof(value));
  std::memcpy(data.data(), &value, sizeof(value));
  response.outputs.push_back({.name = "y",
                              .datatype = tensor::DataType::kInt32,
                              .shape = {1},
                              .data = base::BufferSlice(data),
                              .parameters = {}});
  return response;
}

core::InferResponse End(base::Status status = {}) {
  core::InferResponse response;
  response.status = std::move(status);
  return response;
}

std::string Event(int32_t value, bool final = false) {
  return R"({"model_name":"m","model_version":"1","parameters":{"triton_final_response":)" +
         std::string(final ? "true" : "false") + R"(},"outputs":[{"name":"y","datatype":"INT32","shape":[1],"data":[)" +
         std::to_string(value) + "]}]}";
}

// A model that may give any number of responses, which the test sends.
class HttpStreamTest : public ::testing::Test {
 protected:
  HttpStreamTest() {
    auto model = std::make_shared<FakePinned>();
    model->signature_.decoupled = true;
    model->signature_.inputs = {{.name = "x", .datatype = tensor::DataType::kInt32, .shape = {-1}}};
    server_.dispatcher.models["m"] = model;
    server_.dispatcher.infer = [this](const core::PinnedModel&, const core::InferRequest&, core::Completion done) {
      completion_ = std::move(done);
    };
  }

  void Ask(std::string_view path, std::string_view body, const TestServer::Headers& headers = {}) {
    server_.Start(TestServer::Request(net::Method::kPost, path, body, headers));
  }
  // Sends from another thread, like an engine.
  void SendElsewhere(core::InferResponse response) {
    server_.loop.in_loop = false;
    completion_.Send(std::move(response));
    server_.loop.in_loop = true;
  }
  std::string Text() const {
    return server_.exchange.responses.empty() ? "" : BodyText(server_.exchange.responses.back());
  }
  bool IsOpen() const { return server_.exchange.in_pieces; }
  const core::InferRequest& request() const { return *server_.dispatcher.last; }

  TestServer server_;
  core::Completion completion_;
};

TEST_F(HttpStreamTest, EachResponseIsAnEvent) {
  Ask("/v2/models/m/infer", kOneNumber, kServerSent);
  EXPECT_TRUE(server_.exchange.responses.empty());
  completion_.Send(Number(1));
  EXPECT_EQ(Text(), "data: " + Event(1) + "\n\n");
  EXPECT_EQ(HeaderValue(server_.exchange.responses[0], "Content-Type"), "text/event-stream; charset=utf-8");
  completion_.Send(Number(2));
  EXPECT_TRUE(IsOpen());
  completion_.Send(End());
  EXPECT_FALSE(IsOpen());
  EXPECT_EQ(Text(), "data: " + Event(1) + "\n\ndata: " + Event(2) + "\n\n");
}

TEST_F(HttpStreamTest, OrALineOfJson) {
  Ask("/v2/models/m/infer", kOneNumber, {{"Accept", "application/x-ndjson"}});
  completion_.Send(Number(1));
  completion_.Send(Number(2, true));
  EXPECT_EQ(Text(), Event(1) + "\n" + Event(2, true) + "\n");
  EXPECT_EQ(HeaderValue(server_.exchange.responses[0], "Content-Type"), "application/x-ndjson");
  EXPECT_FALSE(IsOpen());
}

TEST_F(HttpStreamTest, AModelOfOneResponseHasAStreamOfOneEvent) {
  server_.dispatcher.models["m"]->signature_.decoupled = false;
  Ask("/v2/models/m/infer", kOneNumber, kServerSent);
  core::InferResponse response = Number(5, true);
  completion_.Send(std::move(response));
  EXPECT_EQ(
      Text(),
      "data: "
      R"({"model_name":"m","model_version":"1","outputs":[{"name":"y","datatype":"INT32","shape":[1],"data":[5]}]})"
      "\n\n");
}

TEST_F(HttpStreamTest, NoResponseIsAnEmptyStream) {
  Ask("/v2/models/m/infer", kOneNumber, kServerSent);
  completion_.Send(End());
  ASSERT_EQ(server_.exchange.responses.size(), 1u);
  EXPECT_EQ(server_.exchange.responses[0].status, 200);
  EXPECT_EQ(Text(), "");
  EXPECT_FALSE(IsOpen());
}

TEST_F(HttpStreamTest, AFailureBeforeTheFirstResponseIsAnAnswer) {
  Ask("/v2/models/m/infer", kOneNumber, kServerSent);
  completion_.Send(End(base::InvalidArgument("no such thing")));
  ASSERT_EQ(server_.exchange.responses.size(), 1u);
  EXPECT_EQ(server_.exchange.responses[0].status, 400);
  EXPECT_EQ(HeaderValue(server_.exchange.responses[0], "Content-Type"), "application/json");
  EXPECT_EQ(Text(), R"({"error":"no such thing"})");
}

TEST_F(HttpStreamTest, AFailureBeforeTheFirstResponseMayBeAnEvent) {
  server_.options.failures_are_events = true;
  Ask("/v2/models/m/generate_stream", R"({"x":[1]})");
  completion_.Send(End(base::Internal("no such thing")));
  ASSERT_EQ(server_.exchange.responses.size(), 1u);
  EXPECT_EQ(server_.exchange.responses[0].status, 500);
  EXPECT_EQ(HeaderValue(server_.exchange.responses[0], "Content-Type"), "text/event-stream; charset=utf-8");
  EXPECT_EQ(Text(), "data: {\"error\":\"no such thing\"}\n\n");
  EXPECT_FALSE(IsOpen());
  // A request that was not accepted has no stream, and neither has a single response.
  Ask("/v2/models/m/generate_stream", R"({"x":[1]})");
  core::InferResponse refused = End(base::InvalidArgument("refused"));
  refused.refused = true;
  completion_.Send(std::move(refused));
  EXPECT_EQ(HeaderValue(server_.exchange.responses.at(1), "Content-Type"), "application/json");
  EXPECT_EQ(Text(), R"({"error":"refused"})");
  server_.dispatcher.models["m"]->signature_.decoupled = false;
  Ask("/v2/models/m/generate", R"({"x":[1]})");
  completion_.Send(End(base::Internal("broke")));
  EXPECT_EQ(HeaderValue(server_.exchange.responses.at(2), "Content-Type"), "application/json");
  EXPECT_EQ(Text(), R"({"error":"broke"})");
}

TEST_F(HttpStreamTest, ALaterFailureIsTheLastEvent) {
  Ask("/v2/models/m/infer", kOneNumber, kServerSent);
  completion_.Send(Number(1));
  completion_.Send(End(base::Internal("broke")));
  EXPECT_EQ(Text(), "data: " + Event(1) + "\n\ndata: {\"error\":\"broke\"}\n\n");
  EXPECT_FALSE(IsOpen());
}

TEST_F(HttpStreamTest, ResponsesFollowAFailureThatIsNotTheLast) {
  core::InferResponse bad = End(base::InvalidArgument("bad"));
  bad.final = false;
  Ask("/v2/models/m/infer", kOneNumber, kServerSent);
  completion_.Send(Number(1));
  completion_.Send(core::InferResponse(bad));
  completion_.Send(Number(2));
  completion_.Send(End());
  EXPECT_EQ(Text(), "data: " + Event(1) + "\n\ndata: {\"error\":\"bad\"}\n\ndata: " + Event(2) + "\n\n");
  EXPECT_FALSE(IsOpen());
  EXPECT_EQ(server_.exchange.responses.back().status, 200);
  // The first response sets the status.
  Ask("/v2/models/m/infer", kOneNumber, kServerSent);
  completion_.Send(core::InferResponse(bad));
  EXPECT_TRUE(IsOpen());
  completion_.Send(Number(2, true));
  EXPECT_EQ(Text(), "data: {\"error\":\"bad\"}\n\ndata: " + Event(2, true) + "\n\n");
  EXPECT_EQ(server_.exchange.responses.back().status, 400);
  EXPECT_EQ(HeaderValue(server_.exchange.responses.back(), "Content-Type"), "text/event-stream; charset=utf-8");
}

TEST_F(HttpStreamTest, ARequestThatIsWrongIsAnsweredAsOtherwise) {
  Ask("/v2/models/m/infer", "{", kServerSent);
  EXPECT_EQ(server_.exchange.responses.at(0).status, 400);
  Ask("/v2/models/nobody/infer", kOneNumber, kServerSent);
  EXPECT_EQ(server_.exchange.responses.at(1).status, 404);
}

TEST_F(HttpStreamTest, OutputsAreNeverBinary) {
  Ask("/v2/models/m/infer",
      R"({"parameters":{"binary_data_output":true},"inputs":[{"name":"x","shape":[1],"datatype":"INT32","data":[1]}]})",
      kServerSent);
  completion_.Send(Number(1, true));
  EXPECT_EQ(Text(), "data: " + Event(1, true) + "\n\n");
}

TEST_F(HttpStreamTest, ResponsesOfOtherThreadsKeepTheirOrder) {
  server_.options.offload_bytes = 10;
  Ask("/v2/models/m/infer", kOneNumber, kServerSent);
  server_.Settle();  // the body is read on the pool
  SendElsewhere(Number(1));
  SendElsewhere(Number(2));
  completion_.Send(Number(3));  // on the loop, after the posted ones
  SendElsewhere(End());
  EXPECT_EQ(Text(), "");
  server_.Settle();
  EXPECT_EQ(Text(), "data: " + Event(1) + "\n\ndata: " + Event(2) + "\n\ndata: " + Event(3) + "\n\n");
  EXPECT_FALSE(IsOpen());
}

TEST_F(HttpStreamTest, AClientThatDoesNotReadHoldsTheModelUp) {
  server_.options.stream_flow = {.responses_held = 2, .responses_max = 4};
  Ask("/v2/models/m/infer", kOneNumber, kServerSent);
  server_.exchange.takes_more = false;
  completion_.Send(Number(1));
  EXPECT_TRUE(request().flow->open());
  completion_.Send(Number(2));
  completion_.Send(Number(3));
  EXPECT_FALSE(request().flow->open());
  EXPECT_EQ(Text(), "data: " + Event(1) + "\n\n");
  server_.exchange.takes_more = true;
  server_.exchange.on_writable();
  EXPECT_TRUE(request().flow->open());
  EXPECT_EQ(Text(), "data: " + Event(1) + "\n\ndata: " + Event(2) + "\n\ndata: " + Event(3) + "\n\n");
}

TEST_F(HttpStreamTest, TheStreamOfAModelThatDoesNotHoldEnds) {
  server_.options.stream_flow = {.responses_held = 1, .responses_max = 2};
  Ask("/v2/models/m/infer", kOneNumber, kServerSent);
  server_.exchange.takes_more = false;
  for (int i = 0; i < 5; ++i) completion_.Send(Number(i));
  EXPECT_FALSE(IsOpen());
  EXPECT_TRUE(request().cancel->cancelled());
  EXPECT_TRUE(
      Text().ends_with("data: {\"error\":\"the client does not take the responses, and the model goes on\"}\n\n"));
  EXPECT_TRUE(request().flow->open());
}

TEST_F(HttpStreamTest, AClientThatGoesCancelsTheRequest) {
  Ask("/v2/models/m/infer", kOneNumber, kServerSent);
  completion_.Send(Number(1));
  server_.exchange.TellPeerGone();
  EXPECT_TRUE(request().cancel->cancelled());
  completion_.Send(Number(2));  // dropped
  completion_.Send(End(base::Cancelled("")));
  EXPECT_EQ(Text(), "data: " + Event(1) + "\n\n");
}

TEST_F(HttpStreamTest, AClientThatGoesBeforeTheFirstResponse) {
  Ask("/v2/models/m/infer", kOneNumber, kServerSent);
  server_.exchange.TellPeerGone();
  EXPECT_TRUE(request().cancel->cancelled());
  completion_.Send(Number(1));
  EXPECT_FALSE(IsOpen());
}

TEST_F(HttpStreamTest, ARequestWhoseTimeIsUpIsAnsweredOnce) {
  server_.options.inference_timeout_ns = 1'000'000;
  server_.exchange.loop = &server_.loop;
  Ask("/v2/models/m/infer", kOneNumber, kServerSent);
  server_.loop.RunTimers();
  server_.Settle();
  ASSERT_EQ(server_.exchange.responses.size(), 1u);
  EXPECT_EQ(server_.exchange.responses[0].status, 504);
  completion_.Send(Number(1));
  EXPECT_EQ(server_.exchange.responses.size(), 1u);
}

TEST_F(HttpStreamTest, AStreamThatHasBegunHasNoTimeLimitOfItsOwn) {
  server_.options.inference_timeout_ns = 1'000'000;
  Ask("/v2/models/m/infer", kOneNumber, kServerSent);
  completion_.Send(Number(1));
  EXPECT_EQ(server_.loop.timers(), 0u);
  completion_.Send(End());
  EXPECT_EQ(Text(), "data: " + Event(1) + "\n\n");
}

TEST_F(HttpStreamTest, ADroppedRequestEndsItsStream) {
  Ask("/v2/models/m/infer", kOneNumber, kServerSent);
  completion_.Send(Number(1));
  completion_ = {};
  EXPECT_FALSE(IsOpen());
  EXPECT_TRUE(Text().find("\"error\"") != std::string::npos);
}

TEST_F(HttpStreamTest, WithoutAStreamThereIsRoomForOneResponse) {
  for (const auto& responses : {std::vector<int32_t>{}, std::vector<int32_t>{1, 2}}) {
    server_.exchange.responses.clear();
    Ask("/v2/models/m/infer", kOneNumber);
    for (const int32_t value : responses) completion_.Send(Number(value));
    completion_.Send(End());
    ASSERT_EQ(server_.exchange.responses.size(), 1u);
    EXPECT_EQ(server_.exchange.responses[0].status, 501);
    EXPECT_TRUE(Text().find("HTTP end point doesn't support models with decoupled transaction policy") !=
                std::string::npos);
  }
  server_.exchange.responses.clear();
  Ask("/v2/models/m/infer", kOneNumber);
  completion_.Send(Number(3));
  completion_.Send(End());
  EXPECT_EQ(server_.exchange.responses.at(0).status, 200);
}

TEST_F(HttpStreamTest, GenerateHasOneResponse) {
  Ask("/v2/models/m/generate", R"({"x":3,"id":"q"})");
  EXPECT_EQ(request().id, "q");
  EXPECT_EQ(request().inputs.at(0).shape.ToString(), "[1]");
  completion_.Send(Number(3));
  completion_.Send(End());
  EXPECT_EQ(Text(), R"({"model_name":"m","model_version":"1","y":3})");
  for (const int count : {0, 2}) {
    server_.exchange.responses.clear();
    Ask("/v2/models/m/versions/1/generate", R"({"x":3})");
    for (int i = 0; i < count; ++i) completion_.Send(Number(i));
    completion_.Send(End());
    EXPECT_EQ(server_.exchange.responses.at(0).status, 400);
    EXPECT_TRUE(Text().find("generate expects model to produce exactly 1 response") != std::string::npos) << Text();
  }
}

TEST_F(HttpStreamTest, GenerateStreamHasAny) {
  Ask("/v2/models/m/generate_stream", R"({"x":[3]})");
  completion_.Send(Number(1));
  completion_.Send(Number(2));
  completion_.Send(End(base::Internal("broke")));
  EXPECT_EQ(Text(),
            "data: {\"model_name\":\"m\",\"model_version\":\"1\",\"y\":1}\n\n"
            "data: {\"model_name\":\"m\",\"model_version\":\"1\",\"y\":2}\n\n"
            "data: {\"error\":\"broke\"}\n\n");
  EXPECT_EQ(HeaderValue(server_.exchange.responses[0], "Content-Type"), "text/event-stream; charset=utf-8");
}

TEST_F(HttpStreamTest, GenerateStreamAsLines) {
  Ask("/v2/models/m/generate_stream", R"({"x":[3]})", {{"Accept", "application/x-ndjson"}});
  completion_.Send(Number(1, true));
  EXPECT_EQ(Text(), "{\"model_name\":\"m\",\"model_version\":\"1\",\"y\":1}\n");
}

TEST_F(HttpStreamTest, GenerateNeedsAPost) {
  EXPECT_EQ(server_.Get("/v2/models/m/generate_stream").status, 405);
  EXPECT_EQ(server_.Post("/v2/models/m/generate_streams", "{}").status, 404);
}

}  // namespace
}  // namespace inferd::oip_http

#include "protocols/tfs_http/handler_fixture.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "net/compression/compression.h"

namespace inferd::tfs_http {
namespace {

using tensor::DataType;
using ::testing::HasSubstr;

class HandlerTest : public ::testing::Test {
 protected:
  HandlerTest() {
    server_.dispatcher.models["m"] = Model({{.name = "x", .datatype = DataType::kFp32, .shape = {-1}}},
                                           {{.name = "y", .datatype = DataType::kFp32, .shape = {-1}}});
    server_.catalog.versions = std::vector<core::IndexEntry>{
        {.name = "m", .version = "1", .state = core::ModelState::kUnavailable, .reason = "unloaded", .repository = ""},
        {.name = "m", .version = "2", .state = core::ModelState::kReady, .reason = "", .repository = ""}};
  }

  // Makes every response of the model this error.
  void FailWith(base::Status status, int64_t retry_after_ms = 0) {
    server_.dispatcher.infer = [=](const core::PinnedModel&, const core::InferRequest&, core::Completion done) {
      core::InferResponse response;
      response.status = status;
      response.retry_after_ms = retry_after_ms;
      done.Send(std::move(response));
    };
  }

  TestServer server_;
};

TEST_F(HandlerTest, PredictsInBothFormats) {
  const net::HttpResponse rows = server_.Post("/v1/models/m:predict", R"({"instances": [1, 2.5]})");
  EXPECT_EQ(BodyText(rows), R"({"predictions":[1.0,2.5]})");
  EXPECT_EQ(HeaderValue(rows, "Content-Type"), "application/json");
  EXPECT_EQ(server_.AnswerTo("/v1/models/m:predict", R"({"inputs": {"x": [1]}})"), R"(200 {"outputs":[1.0]})");
  EXPECT_EQ(server_.AnswerTo("/v1/models/m/versions/1:predict", R"({"inputs": [3]})"), R"(200 {"outputs":[3.0]})");
  EXPECT_EQ(server_.dispatcher.last->model_name, "m");
  EXPECT_EQ(server_.dispatcher.last->model_version, "1");
}

TEST_F(HandlerTest, ClassifiesAndRegresses) {
  auto& model = *server_.dispatcher.models["m"];
  model.signature_.inputs[0].name = "scores";
  model.signature_.inputs[0].shape = {-1, 2};
  model.signature_.outputs = {
      {.name = "scores", .datatype = DataType::kFp32, .shape = {-1, 2}, .labels = {"cat", "dog"}}};
  EXPECT_EQ(server_.AnswerTo("/v1/models/m:classify", R"({"examples": [{"scores": [0.25, 0.75]}]})"),
            R"(200 {"result":[[["cat",0.25],["dog",0.75]]],"results":[[["cat",0.25],["dog",0.75]]]})");
  EXPECT_EQ(server_.Post("/v1/models/m:regress", R"({"examples": [{"scores": [0.25, 0.75]}]})").status, 400)
      << "no regressor";
  auto echo = std::exchange(server_.dispatcher.infer,
                            [](const core::PinnedModel&, const core::InferRequest& request, core::Completion done) {
                              core::InferResponse response;
                              response.outputs.assign(request.inputs.begin(), request.inputs.end());
                              response.outputs[0].shape = {1, 4};
                              done.Send(std::move(response));
                            });
  const std::string two = R"({"scores": [0.25, 0.75]})";
  EXPECT_EQ(server_.AnswerTo("/v1/models/m:classify", R"({"examples": [)" + two + ", " + two + "]}"),
            R"(400 {"error":"Expected scores output batch size of 2. Got: 1"})");
  server_.dispatcher.infer = std::move(echo);
  model.signature_.inputs[0].shape = {-1};
  model.signature_.outputs[0].shape = {-1};
  server_.options.result_key = ResultKey::kResults;
  EXPECT_EQ(server_.AnswerTo("/v1/models/m:regress", R"({"examples": [{"scores": 1.5}, {"scores": 2}]})"),
            R"(200 {"results":[1.5,2.0]})");
  EXPECT_EQ(server_.Post("/v1/models/m:classify", R"({"examples": [{"scores": 1.5}]})").status, 400) << "no classifier";
  EXPECT_EQ(server_.AnswerTo("/v1/models/n:classify", "[]"), R"(400 {"error":"JSON Value: [] Is not object"})");
}

TEST_F(HandlerTest, TheContentTypeDoesNotMatterAndTheBodyMayBeCompressed) {
  EXPECT_EQ(server_.Post("/v1/models/m:predict", R"({"instances": [1]})", {{"Content-Type", "text/plain"}}).status,
            200);
  const base::BufferSlice body(base::Buffer::CopyOf(R"({"instances": [1]})"));
  const std::string gzip(net::Compress(net::ContentCoding::kGzip, std::span(&body, 1)).value().view());
  const net::HttpResponse answer = server_.Post("/v1/models/m:predict", gzip, {{"Content-Encoding", "gzip"}});
  EXPECT_EQ(BodyText(answer), R"({"predictions":[1.0]})");
  EXPECT_EQ(HeaderValue(answer, "Content-Encoding"), "");
  EXPECT_EQ(server_.Post("/v1/models/m:predict", "garbage", {{"Content-Encoding", "gzip"}}).status, 400);
  EXPECT_EQ(server_.Post("/v1/models/m:predict", gzip, {{"Content-Encoding", "br"}}).status, 415);
}

TEST_F(HandlerTest, ABombIsTooLarge) {
  server_.options.body_bytes_max = 1000;
  const base::BufferSlice body(base::Buffer::CopyOf(std::string(100'000, ' ')));
  const std::string gzip(net::Compress(net::ContentCoding::kGzip, std::span(&body, 1)).value().view());
  EXPECT_EQ(server_.Post("/v1/models/m:predict", gzip, {{"Content-Encoding", "gzip"}}).status, 413);
}

TEST_F(HandlerTest, TheJsonIsCheckedBeforeTheModelIsLookedFor) {
  EXPECT_EQ(server_.AnswerTo("/v1/models/n:predict", R"({"instances": [1]})"),
            R"_(404 {"error":"Servable not found for request: Latest(n)"})_");
  EXPECT_EQ(server_.AnswerTo("/v1/models/m/versions/99:predict", "{}"),
            R"_(404 {"error":"Servable not found for request: Specific(m, 99)"})_");
  EXPECT_EQ(server_.AnswerTo("/v1/models/m/labels/stable:predict", "{}"),
            R"(400 {"error":"Unrecognized servable version label: stable"})");
  server_.dispatcher.labels = {{"stable", "99"}};
  EXPECT_EQ(server_.AnswerTo("/v1/models/m/labels/stable:predict", "{}"),
            R"_(404 {"error":"Servable not found for request: Specific(m, 99)"})_");
  EXPECT_EQ(server_.AnswerTo("/v1/models/n:predict", ""), R"(400 {"error":"JSON Parse error: The document is empty"})");
  EXPECT_EQ(server_.Post("/v1/models/n:predict", R"({"instances": [1})").status, 400);
}

TEST_F(HandlerTest, ErrorsHaveTheirStatus) {
  const std::string path = "/v1/models/m:predict";
  const std::string body = R"({"instances": [1]})";
  EXPECT_EQ(server_.AnswerTo(path, "{}"), R"(400 {"error":"Missing 'inputs' or 'instances' key"})");
  const std::vector<std::pair<base::StatusCode, int>> statuses = {{base::StatusCode::kCancelled, 499},
                                                                  {base::StatusCode::kInvalidArgument, 400},
                                                                  {base::StatusCode::kFailedPrecondition, 400},
                                                                  {base::StatusCode::kOutOfRange, 400},
                                                                  {base::StatusCode::kUnauthenticated, 401},
                                                                  {base::StatusCode::kPermissionDenied, 403},
                                                                  {base::StatusCode::kNotFound, 404},
                                                                  {base::StatusCode::kAlreadyExists, 409},
                                                                  {base::StatusCode::kAborted, 409},
                                                                  {base::StatusCode::kUnimplemented, 501},
                                                                  {base::StatusCode::kUnavailable, 503},
                                                                  {base::StatusCode::kDeadlineExceeded, 504},
                                                                  {base::StatusCode::kUnknown, 500},
                                                                  {base::StatusCode::kInternal, 500},
                                                                  {base::StatusCode::kDataLoss, 500}};
  for (const auto& [code, status] : statuses) {
    FailWith(base::Status(code, "why"));
    EXPECT_EQ(server_.AnswerTo(path, body), std::to_string(status) + R"( {"error":"why"})");
  }
  FailWith(base::ResourceExhausted("full"), 2500);
  const net::HttpResponse busy = server_.Post(path, body);
  EXPECT_EQ(busy.status, 429);
  EXPECT_EQ(HeaderValue(busy, "Retry-After"), "3");
}

TEST_F(HandlerTest, AFullQueueIsWhatThePersonalitySays) {
  server_.options.queue_full = {.code = base::StatusCode::kUnavailable, .text = "the queue is full"};
  FailWith(base::ResourceExhausted("5 wait"), 2500);
  const net::HttpResponse busy = server_.Post("/v1/models/m:predict", R"({"instances": [1]})");
  EXPECT_EQ(busy.status, 503);
  EXPECT_EQ(BodyText(busy), R"({"error":"the queue is full; 5 wait"})");
  EXPECT_EQ(HeaderValue(busy, "Retry-After"), "3");
}

TEST_F(HandlerTest, AnInferenceIsAnsweredWhenItsTimeIsUp) {
  server_.options.inference_timeout_ns = 30'000'000'000;
  server_.options.exact = true;
  server_.handler = server_.NewHandler();
  const std::string body = R"({"instances": [1]})";
  EXPECT_EQ(server_.AnswerTo("/v1/models/m:predict", body), R"(200 {"predictions":[1.0]})");
  EXPECT_EQ(server_.dispatcher.last->deadline_ns, server_.clock.NowNs() + 30'000'000'000);
  EXPECT_EQ(server_.loop.timers(), 0u) << "of what was answered at once";

  core::Completion held;
  server_.dispatcher.infer = [&](const core::PinnedModel&, const core::InferRequest&, core::Completion done) {
    held = std::move(done);
  };
  server_.exchange.responses.clear();
  server_.Start(Request(net::Method::kPost, "/v1/models/m:predict", body));
  server_.Settle();
  server_.loop.RunTimers();
  ASSERT_EQ(server_.exchange.responses.size(), 1u);
  EXPECT_EQ(server_.Answer(std::move(server_.exchange.responses[0])),
            R"(504 {"error":"Timed out waiting for notification"})");
  EXPECT_TRUE(server_.dispatcher.last->cancel->cancelled());

  core::FakeDispatcher::Echo(*server_.dispatcher.models["m"], *server_.dispatcher.last, std::move(held));
  server_.Settle();
  EXPECT_EQ(server_.exchange.responses.size(), 1u) << "it has its answer";
  EXPECT_THAT(server_.registry.PrometheusText(), HasSubstr(R"(status="DEADLINE_EXCEEDED"} 1)"));
}

TEST_F(HandlerTest, WhatExpiresInAQueueIsSaidInTensorflowsWords) {
  FailWith(base::DeadlineExceeded("Request timeout expired"));
  const std::string body = R"({"instances": [1]})";
  EXPECT_EQ(server_.AnswerTo("/v1/models/m:predict", body), R"(504 {"error":"Request timeout expired"})");
  server_.options.inference_timeout_ns = 1;
  server_.options.exact = true;
  server_.options.cors = true;
  server_.handler = server_.NewHandler();
  const net::HttpResponse late = server_.Post("/v1/models/m:predict", body);
  EXPECT_EQ(BodyText(late), R"({"error":"Timed out waiting for notification"})");
  EXPECT_EQ(late.headers.size(), 3u) << "CORS, once";
}

TEST_F(HandlerTest, WhatIsMalformedSaysSo) {
  EXPECT_EQ(server_.AnswerTo("/v1/models/m:predict"), R"(400 {"error":"Malformed request: GET /v1/models/m:predict"})");
  EXPECT_EQ(server_.AnswerTo("/v1/models/m:PREDICT", "{}"),
            R"(400 {"error":"Malformed request: POST /v1/models/m:PREDICT"})");
  EXPECT_EQ(server_.AnswerTo("/v1/models/m:predict?x=1", "{}"),
            R"(400 {"error":"Malformed request: POST /v1/models/m:predict?x=1"})");
  EXPECT_EQ(server_.Answer(server_.Ask(Request(net::Method::kPut, "/v1/models/m"))),
            R"(400 {"error":"Malformed request: PUT /v1/models/m"})");
}

TEST_F(HandlerTest, StatusOfVersions) {
  EXPECT_EQ(server_.AnswerTo("/v1/models/m"),
            R"(200 {"name":"m","ready":true,"model_version_status":[)"
            R"({"version":"2","state":"AVAILABLE","status":{"error_code":"OK","error_message":""}},)"
            R"({"version":"1","state":"END","status":{"error_code":"OK","error_message":""}}]})");
  EXPECT_EQ(server_.AnswerTo("/v1/models/m/versions/02"),
            R"(200 {"name":"m","ready":true,"model_version_status":[)"
            R"({"version":"2","state":"AVAILABLE","status":{"error_code":"OK","error_message":""}}]})");
  EXPECT_EQ(server_.AnswerTo("/v1/models/m/versions/3"), R"(404 {"error":"Could not find version 3 of model m"})");
  EXPECT_EQ(server_.AnswerTo("/v1/models/m/labels/l"), R"(400 {"error":"Unrecognized servable version label: l"})");
  server_.dispatcher.labels = {{"l", "2"}};
  EXPECT_EQ(server_.AnswerTo("/v1/models/m/labels/l"), server_.AnswerTo("/v1/models/m/versions/2"));
  EXPECT_EQ(server_.AnswerTo("/v1/models/m/versions/9223372036854775808"),
            R"(400 {"error":"Failed to convert version: 9223372036854775808 to numeric."})");
  server_.catalog.versions = std::unexpected(base::NotFound("no"));
  EXPECT_EQ(server_.AnswerTo("/v1/models/n"), R"(404 {"error":"Could not find any versions of model n"})");
}

TEST_F(HandlerTest, StatusAsOneServerOrTheOther) {
  server_.options.v1_status = V1Status::kTfs;
  EXPECT_EQ(server_.AnswerTo("/v1/models/m/versions/2"),
            R"(200 {"model_version_status":[)"
            R"({"version":"2","state":"AVAILABLE","status":{"error_code":"OK","error_message":""}}]})");
  EXPECT_EQ(server_.AnswerTo("/v1/models"), R"(400 {"error":"Missing model name in request."})");
  server_.options.v1_status = V1Status::kKserve;
  EXPECT_EQ(server_.AnswerTo("/v1/models/m"), R"(200 {"name":"m","ready":true})");
  EXPECT_EQ(server_.AnswerTo("/v1/models"), R"(200 {"models":["a","b"]})");
  server_.catalog.model_ready = base::Unavailable("loading");
  EXPECT_EQ(server_.AnswerTo("/v1/models/m"), R"(503 {"error":"Model with name m is not ready."})");
  server_.catalog.model_ready = base::NotFound("none");
  EXPECT_EQ(server_.AnswerTo("/v1/models/m"), R"(404 {"error":"Model with name m does not exist."})");
}

TEST_F(HandlerTest, MetricsUnderTheNamesOfTensorflowServing) {
  server_.Post("/v1/models/m:predict", R"({"instances": [1]})");
  server_.Post("/v1/models/m:predict", "");
  server_.Post("/v1/models/n:predict", R"({"instances": [1]})");
  const std::string page = server_.AnswerTo("/monitoring/prometheus/metrics");
  EXPECT_THAT(page, HasSubstr(R"(:tensorflow:serving:request_count{model_name="m",status="OK"} 1)"));
  EXPECT_THAT(page, HasSubstr(R"(:tensorflow:serving:request_count{model_name="m",status="INVALID_ARGUMENT"} 1)"));
  EXPECT_THAT(page, ::testing::Not(HasSubstr(R"(model_name="n")"))) << "not a model of ours";
}

TEST_F(HandlerTest, TheListOfModels) { EXPECT_EQ(server_.AnswerTo("/v1/models"), R"(200 {"models":["a","b"]})"); }

TEST_F(HandlerTest, MetadataOfTheVersionThatAnswers) {
  EXPECT_THAT(server_.AnswerTo("/v1/models/m/metadata"),
              HasSubstr(R"(200 {"model_spec":{"name":"m","signature_name":"","version":"1"})"));
  EXPECT_EQ(server_.AnswerTo("/v1/models/n/metadata"),
            R"_(404 {"error":"Servable not found for request: Latest(n)"})_");
}

TEST_F(HandlerTest, PagesOfOtherOriginsWhereTheyMay) {
  const auto preflight = [this](const TestServer::Headers& headers) {
    return server_.Ask(Request(net::Method::kOptions, "/v1/models/m:predict", "", headers));
  };
  EXPECT_EQ(preflight({}).status, 400);
  EXPECT_EQ(preflight({{"Origin", "file://x"}}).status, 400);
  const net::HttpResponse off = preflight({{"Origin", "https://page"}});
  EXPECT_EQ(off.status, 200);
  EXPECT_EQ(HeaderValue(off, "Access-Control-Allow-Origin"), "");
  server_.options.cors = true;
  EXPECT_EQ(HeaderValue(preflight({{"Origin", "https://page"}}), "Access-Control-Allow-Methods"), "POST, GET");
  EXPECT_EQ(HeaderValue(server_.Post("/v1/models/m:predict", R"({"instances": [1]})"), "Access-Control-Allow-Origin"),
            "*");
  EXPECT_EQ(HeaderValue(server_.Get("/v1/models/m:predict"), "Access-Control-Allow-Headers"), "Content-Type")
      << "on refusals too";
}

TEST_F(HandlerTest, HeadersBecomeParametersWhereTheyMay) {
  server_.options.forwarded_headers = *base::NamePattern::Create("^x-");
  EXPECT_EQ(server_.Post("/v1/models/m:predict", R"({"instances": [1]})", {{"x-tenant", "a"}, {"y", "b"}}).status, 200);
  ASSERT_EQ(server_.dispatcher.last->parameters.size(), 1u);
  EXPECT_EQ(server_.dispatcher.last->parameters[0].first, "x-tenant");
}

TEST_F(HandlerTest, EndpointsMayBeRestricted) {
  server_.access =
      *access::Policy::Create({{.groups = {access::Group::kInference}, .header = "key", .value = "secret"}}, {});
  EXPECT_EQ(server_.Post("/v1/models/m:predict", R"({"instances": [1]})").status, 403);
  EXPECT_EQ(server_.Post("/v1/models/m:predict", R"({"instances": [1]})", {{"key", "secret"}}).status, 200);
  EXPECT_EQ(server_.Get("/v1/models/m").status, 200);
}

TEST_F(HandlerTest, BigBodiesAndAnswersGoByWayOfThePool) {
  server_.options.offload_bytes = 16;
  server_.exchange.responses.clear();
  server_.Start(Request(net::Method::kPost, "/v1/models/m:predict", R"({"instances": [1, 2, 3]})"));
  EXPECT_EQ(server_.pool.queued(), 1u) << "decoding";
  server_.pool.RunAll();
  server_.loop.RunAll();
  EXPECT_EQ(server_.pool.queued(), 1u) << "encoding";
  server_.Settle();
  ASSERT_EQ(server_.exchange.responses.size(), 1u);
  EXPECT_EQ(BodyText(server_.exchange.responses[0]), R"({"predictions":[1.0,2.0,3.0]})");
}

TEST_F(HandlerTest, AnswersFromOtherThreadsAreSentByTheLoop) {
  server_.dispatcher.infer = [this](const core::PinnedModel& pinned, const core::InferRequest& request,
                                    core::Completion done) {
    server_.loop.in_loop = false;
    FakeDispatcher::Echo(pinned, request, std::move(done));
    server_.loop.in_loop = true;
  };
  server_.Start(Request(net::Method::kPost, "/v1/models/m:predict", R"({"instances": [1]})"));
  EXPECT_TRUE(server_.exchange.responses.empty());
  server_.Settle();
  EXPECT_EQ(server_.exchange.responses.size(), 1u);
}

TEST_F(HandlerTest, WhoIsGoneCancelsTheRequest) {
  core::Completion kept;
  server_.dispatcher.infer = [&](const core::PinnedModel&, const core::InferRequest&, core::Completion done) {
    kept = std::move(done);
  };
  server_.Start(Request(net::Method::kPost, "/v1/models/m:predict", R"({"instances": [1]})"));
  ASSERT_TRUE(server_.exchange.on_peer_gone);
  server_.exchange.on_peer_gone();
  EXPECT_TRUE(server_.dispatcher.last->cancel->cancelled());
  kept.Fail(base::Cancelled("gone"));
  server_.Settle();
}

TEST_F(HandlerTest, ManyResponsesDoNotFitIntoOne) {
  server_.dispatcher.infer = [](const core::PinnedModel& pinned, const core::InferRequest& request,
                                core::Completion done) {
    for (int i = 0; i < 2; ++i) {
      core::InferResponse response;
      response.model_version = pinned.version();
      response.outputs.assign(request.inputs.begin(), request.inputs.end());
      response.final = i == 1;
      done.Send(std::move(response));
    }
  };
  EXPECT_EQ(server_.Post("/v1/models/m:predict", R"({"instances": [1]})").status, 501);
}

// Only under the personality.
TEST_F(HandlerTest, TheServersOwnLaxities) {
  EXPECT_EQ(server_.Post("/v1/models/m:predict", R"({"instances": [1]}, ...)").status, 400);
  EXPECT_NE(server_.AnswerTo("/v1/models/m/versions/9223372036854775808"), "400 ");
  EXPECT_EQ(server_.Post("/v1/models/m:predict", R"({"instances": [1e39]})").status, 400);
  server_.options.exact = true;
  EXPECT_EQ(server_.AnswerTo("/v1/models/m:predict", R"({"instances": [1e39]})"), R"(200 {"predictions":[Infinity]})");
  EXPECT_EQ(server_.Post("/v1/models/m:predict", R"({"instances": [1]}, ...)").status, 200);
  EXPECT_EQ(server_.AnswerTo("/v1/models/m/versions/9223372036854775808"), "400 ");
  EXPECT_EQ(server_.AnswerTo("/v1/models/m/versions/9223372036854775808:predict", "{}"), "400 ");
  EXPECT_EQ(server_.Answer(server_.Ask(Request(net::Method::kOptions, "/v1/models/m"))), "400 ");
}

TEST_F(HandlerTest, MetricsAreWhereTheyWereSaidToBe) {
  server_.options.metrics_path = "/my/metrics";
  EXPECT_EQ(server_.Get("/my/metrics").status, 200);
  EXPECT_EQ(server_.Get("/monitoring/prometheus/metrics").status, 400);
}

}  // namespace
}  // namespace inferd::tfs_http

#include "protocols/trtis_http/handler.h"

#include <google/protobuf/text_format.h>
#include <gtest/gtest.h>

#include <atomic>
#include <string>
#include <vector>

#include "net/fake_exchange.h"
#include "net/http/target.h"
#include "protocols/trtis_http/nv_status.h"
#include "protocols/trtis_http/router.h"
#include "serving/core/fake_catalog.h"
#include "serving/core/fake_dispatcher.h"
#include "trtis/request_status.pb.h"

namespace inferd::trtis_http {
namespace {

using Headers = std::vector<std::pair<std::string_view, std::string_view>>;

net::HttpRequest RequestOf(net::Method method, std::string_view target, std::string_view body, const Headers& headers) {
  net::HttpRequest request;
  request.head.method = method;
  request.head.method_text = method == net::Method::kPost ? "POST" : "GET";
  EXPECT_TRUE(net::ParseTarget(target, request.head).ok());
  request.head.content_length = body.size();
  for (const auto& header : headers) request.head.headers.push_back(header);
  request.body = base::BufferSlice(base::Buffer::CopyOf(body));
  return request;
}

// The interfaces around one handler, driven by hand: model "m" with x FP32 [-1, 2], which answers y = x.
class TrtisHandlerTest : public ::testing::Test {
 protected:
  TrtisHandlerTest() {
    auto pinned = std::make_shared<core::FakePinned>();
    pinned->signature_.max_batch_size = 4;
    pinned->signature_.inputs = {{.name = "x", .datatype = tensor::DataType::kFp32, .shape = {-1, 2}}};
    pinned->signature_.outputs = {{.name = "y", .datatype = tensor::DataType::kFp32, .shape = {-1, 2}}};
    dispatcher_.models["m"] = pinned;
    options_.state = &state_;
    std::vector<core::IndexEntry> versions(1);
    versions[0].version = "1";
    versions[0].state = core::ModelState::kReady;
    catalog_.versions = versions;
    catalog_.statistics = std::vector<core::ModelStatistics>();
    handler_ = MakeHandler({.options = options_,
                            .access = access_,
                            .dispatcher = dispatcher_,
                            .catalog = catalog_,
                            .pool = pool_,
                            .logger = *logger_,
                            .clock = clock_,
                            .draining = draining_});
  }

  void Start(net::HttpRequest request) {
    exchange_.responses.clear();
    net::BodyPlan plan = handler_->OnHead(request.head);
    if (plan.refuse) {
      exchange_.responses.push_back(*std::move(plan.refuse));
      return;
    }
    handler_->OnRequest(std::move(request), exchange_.Open());
  }
  net::HttpResponse Settle() {
    while (loop_.RunAll() + pool_.RunAll() > 0) {
    }
    if (exchange_.responses.size() != 1) return net::HttpResponse::Text(0, "", "answers: none or several");
    return std::move(exchange_.responses.front());
  }
  net::HttpResponse Get(std::string_view target) {
    Start(RequestOf(net::Method::kGet, target, "", {}));
    return Settle();
  }
  net::HttpResponse Infer(std::string_view target = "/api/infer/m") {
    Start(RequestOf(net::Method::kPost, target, std::string(8, '\0'), {{"nv-inferrequest", kHeader}}));
    return Settle();
  }
  // Returns "400 UNAVAILABLE <message>".
  static std::string Said(const net::HttpResponse& response) {
    nvidia::inferenceserver::RequestStatus status;
    const std::string text = HeaderValue(response, "NV-Status");
    EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(text, &status)) << text;
    return std::to_string(response.status) + " " + RequestStatusCode_Name(status.code()) + " " + status.msg();
  }

  static constexpr std::string_view kHeader =
      R"(batch_size: 1 input { name: "x" byte_size: 8 } output { name: "y" byte_size: 8 })";

  trtis::ServerState state_{"s", "1"};
  Options options_;
  access::Policy access_;
  base::FakeClock clock_;
  std::unique_ptr<base::Logger> logger_ = base::Logger::Silent();
  core::FakeDispatcher dispatcher_;
  core::FakeCatalog catalog_;
  std::atomic<bool> draining_{false};
  net::FakeLoop loop_;
  net::Reply::Target replies_{loop_};
  net::FakeExchange exchange_{replies_};
  net::FakePool pool_;  // its tasks hold replies
  std::unique_ptr<net::HttpHandler> handler_;
};

TEST_F(TrtisHandlerTest, AnInferenceIsAnsweredWithItsNumber) {
  const net::HttpResponse response = Infer();
  EXPECT_EQ(response.status, 200);
  EXPECT_EQ(HeaderValue(response, "NV-Status"), R"(code: SUCCESS server_id: "s" request_id: 1)");
  ASSERT_EQ(response.body.size(), 2u);
  EXPECT_EQ(response.body[0].data(), dispatcher_.last->inputs[0].data.data()) << "tensors are not copied";
  EXPECT_EQ(dispatcher_.last->inputs[0].shape, (tensor::Shape{1, 2}));
  EXPECT_EQ(response.body[1].view().substr(0, 16), "model_name: \"m\"\n");
}

TEST_F(TrtisHandlerTest, AServerThatIsAboutToEndSaysSo) {
  draining_ = true;
  for (const char* target :
       {"/api/status", "/api/status/m", "/api/health/live", "/api/health/ready", "/api/profile?cmd=start"}) {
    EXPECT_EQ(Said(Get(target)), "400 UNAVAILABLE Server exiting") << target;
  }
  EXPECT_EQ(Said(Infer()), "200 SUCCESS ") << "who still comes is served";
}

TEST_F(TrtisHandlerTest, HealthIsTheHttpStatus) {
  EXPECT_EQ(Said(Get("/api/health/ready")), "200 SUCCESS ");
  catalog_.ready = false;
  EXPECT_EQ(Said(Get("/api/health/ready")), "400 SUCCESS ");
  EXPECT_EQ(Said(Get("/api/health/live")), "200 SUCCESS ");
  catalog_.live = false;
  EXPECT_EQ(Said(Get("/api/health/live")), "400 SUCCESS ");
  EXPECT_EQ(Said(Get("/api/health/")), "400 UNKNOWN unknown health mode ''");
}

TEST_F(TrtisHandlerTest, WhatIsRefusedBeforeItRunsIsCounted) {
  const std::vector<int64_t>& refused = dispatcher_.models["m"]->refused;
  const auto ask = [this](std::string_view header, size_t bytes, std::string_view target = "/api/infer/m") {
    Start(RequestOf(net::Method::kPost, target, std::string(bytes, '\0'), {{"nv-inferrequest", header}}));
    return Said(Settle());
  };
  EXPECT_EQ(ask(R"(batch_size: 1 input { name: "x" byte_size: 12 })", 12),
            "400 INVALID_ARG unexpected size 12 for inference input 'x', expecting 8");
  EXPECT_EQ(ask(R"(batch_size: 2 input { name: "x" byte_size: 8 })", 8),
            "400 INTERNAL expected 16 of data for inference input 'x', got 8");
  EXPECT_EQ(ask(R"(batch_size: 5 input { name: "x" byte_size: 8 })", 40).substr(0, 15), "400 INVALID_ARG");
  EXPECT_EQ(refused, (std::vector<int64_t>{1, 2, 5})) << "by its batch size";
  ask(kHeader, 8, "/api/infer/n");
  ask("", 8);
  ask(kHeader, 8);
  EXPECT_EQ(refused.size(), 3u) << "of no model, of no batch size, and those that ran";
  dispatcher_.infer = [](const core::PinnedModel&, const core::InferRequest&, core::Completion completion) {
    completion.Fail(base::Internal("the model failed"));
  };
  EXPECT_EQ(ask(kHeader, 8), "400 INTERNAL the model failed");
  EXPECT_EQ(refused.size(), 3u) << "its execution is counted";
}

TEST_F(TrtisHandlerTest, AFullQueueSaysWhenToComeBack) {
  dispatcher_.infer = [](const core::PinnedModel&, const core::InferRequest&, core::Completion completion) {
    core::InferResponse response;
    response.status = base::ResourceExhausted("the queue is full");
    response.retry_after_ms = 1500;
    completion.Send(std::move(response));
  };
  const net::HttpResponse response = Infer();
  EXPECT_EQ(Said(response), "400 UNAVAILABLE the queue is full");
  EXPECT_EQ(HeaderValue(response, "Retry-After"), "2");
  EXPECT_TRUE(response.body.empty());
}

TEST_F(TrtisHandlerTest, AnAnswerThatComesTooLateIsNotSent) {
  options_.inference_timeout_ns = 1'000'000;
  core::Completion late;
  dispatcher_.infer = [&late](const core::PinnedModel&, const core::InferRequest&, core::Completion completion) {
    late = std::move(completion);
  };
  Start(RequestOf(net::Method::kPost, "/api/infer/m", std::string(8, '\0'), {{"nv-inferrequest", kHeader}}));
  loop_.RunTimers();
  EXPECT_EQ(Said(Settle()).substr(0, 15), "400 UNAVAILABLE");
  exchange_.responses.clear();
  late.Fail(base::Internal("nobody hears this"));
  while (loop_.RunAll() + pool_.RunAll() > 0) {
  }
  EXPECT_TRUE(exchange_.responses.empty());
}

TEST_F(TrtisHandlerTest, AModelIsLoadedForTheRequestThatNeedsIt) {
  dispatcher_.on_demand = true;
  auto model = dispatcher_.models.extract("m");
  Start(RequestOf(net::Method::kPost, "/api/infer/m/007", std::string(8, '\0'), {{"nv-inferrequest", kHeader}}));
  ASSERT_EQ(dispatcher_.demands.size(), 1u);
  EXPECT_EQ(dispatcher_.demands[0].version, "7");
  dispatcher_.demands[0].done({.status = {}, .model = model.mapped(), .retry_after_ms = 0});
  const net::HttpResponse response = Settle();
  EXPECT_EQ(HeaderValue(response, "NV-Status"), R"(code: SUCCESS server_id: "s" request_id: 1)");
}

TEST_F(TrtisHandlerTest, AStatusCountsThoseBefore) {
  const std::string first = BodyText(Get("/api/status"));
  EXPECT_FALSE(first.contains("status_stats")) << first;
  EXPECT_TRUE(first.contains("ready_state: SERVER_READY")) << first;
  const std::string second = BodyText(Get("/api/status/m"));
  EXPECT_TRUE(second.contains("status_stats {\n  success {\n    count: 1\n  }\n}\n")) << second;
  EXPECT_TRUE(second.contains("key: \"m\"")) << second;
  catalog_.ready = false;
  EXPECT_TRUE(BodyText(Get("/api/status")).contains("ready_state: SERVER_INITIALIZING"));
}

TEST_F(TrtisHandlerTest, ATransportsRefusalHasItsCode) {
  const net::HttpResponse large = TransportRefusal(413, "request body too large");
  EXPECT_EQ(Said(large), "413 INVALID_ARG request body too large");
  EXPECT_TRUE(large.body.empty());
  EXPECT_EQ(Said(TransportRefusal(503, "no room")), "503 UNAVAILABLE no room");
  EXPECT_EQ(Said(TransportRefusal(500, "lost")), "500 INTERNAL lost");
}

TEST(TrtisRouterTest, OnlyTheExactWordIsBinary) {
  const auto route = [](std::string_view target) {
    net::RequestHead head;
    head.method = net::Method::kGet;
    EXPECT_TRUE(net::ParseTarget(target, head).ok());
    return FindRoute(head);
  };
  EXPECT_TRUE(route("/api/status?format=binary").binary);
  EXPECT_TRUE(route("/api/status?a=b&format=binary").binary);
  for (const char* target : {"/api/status", "/api/status?format=Binary", "/api/status?format=text&format=binary",
                             "/api/status?xformat=binary", "/api/status?format"}) {
    EXPECT_FALSE(route(target).binary) << target;
  }
  EXPECT_EQ(route("/api/status/a/b").endpoint, Endpoint::kStatus);
  EXPECT_EQ(route("/api/status/").model, "");
  EXPECT_EQ(route("/api/infer/m/1").endpoint, Endpoint::kWrongMethod);
  EXPECT_EQ(route("/api/infer/m/x").endpoint, Endpoint::kNone);
  EXPECT_EQ(route("/api/profile/x").endpoint, Endpoint::kNone);
}

}  // namespace
}  // namespace inferd::trtis_http

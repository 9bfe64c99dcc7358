#include "protocols/kserve_v1/handler.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "config/model/model_config.h"
#include "net/compression/compression.h"
#include "net/fake_exchange.h"
#include "net/http/target.h"
#include "serving/core/fake_catalog.h"
#include "serving/core/fake_dispatcher.h"

namespace inferd::kserve_v1 {
namespace {

using tensor::DataType;
using ::testing::HasSubstr;
using Headers = std::vector<std::pair<std::string_view, std::string_view>>;

// The front-end's interfaces, driven by hand: m, an echo of x, and its explainer e.
class HandlerTest : public ::testing::Test {
 protected:
  HandlerTest() {
    auto model = std::make_shared<core::FakePinned>();
    model->signature_.inputs = {{.name = "x", .datatype = DataType::kFp32, .shape = {-1}}};
    model->configuration_ = &configuration_;
    dispatcher_.models["m"] = std::move(model);
    explainer_->signature_.inputs = {{.name = "x", .datatype = DataType::kFp32, .shape = {-1}}};
    dispatcher_.models["e"] = explainer_;
    handler_ = MakeHandler({.options = options_,
                            .access = access_,
                            .dispatcher = dispatcher_,
                            .catalog = catalog_,
                            .pool = pool_,
                            .logger = *logger_,
                            .clock = clock_,
                            .call_model = [this](std::unique_ptr<core::InferRequest> request, core::Completion done) {
                              explained_ = std::move(request);
                              explain_(*explained_, std::move(done));
                            }});
  }

  net::HttpResponse Ask(net::Method method, std::string_view target, std::string_view body,
                        const Headers& headers = {}) {
    net::HttpRequest request;
    request.head.method = method;
    EXPECT_TRUE(net::ParseTarget(target, request.head).ok());
    for (const auto& header : headers) request.head.headers.push_back(header);
    request.body = base::BufferSlice(base::Buffer::CopyOf(body));
    exchange_.responses.clear();
    net::BodyPlan plan = handler_->OnHead(request.head);
    if (plan.refuse) return *std::move(plan.refuse);
    handler_->OnRequest(std::move(request), exchange_.Open());
    while (loop_.RunAll() + pool_.RunAll() > 0) {
    }
    if (exchange_.responses.size() != 1) return net::HttpResponse::Text(0, "", "answers: none or several");
    return std::move(exchange_.responses.front());
  }
  // Returns "200 <body>".
  std::string Post(std::string_view target, std::string_view body, const Headers& headers = {}) {
    const net::HttpResponse response = Ask(net::Method::kPost, target, body, headers);
    return std::to_string(response.status) + " " + BodyText(response);
  }
  std::string Get(std::string_view target) {
    const net::HttpResponse response = Ask(net::Method::kGet, target, "");
    return std::to_string(response.status) + " " + BodyText(response);
  }

  // The answer of the model and the explainer: each input, with another name.
  static void EchoAs(std::string name, const core::InferRequest& request, core::Completion done) {
    core::InferResponse response;
    for (const core::InferTensor& input : request.inputs) {
      response.outputs.push_back(input);
      response.outputs.back().name = name + "_" + input.name;
    }
    done.Send(std::move(response));
  }

  Options options_;
  config::ModelConfig configuration_;
  std::shared_ptr<core::FakePinned> explainer_ = std::make_shared<core::FakePinned>();
  std::unique_ptr<core::InferRequest> explained_;
  std::function<void(const core::InferRequest&, core::Completion)> explain_ =
      [](const core::InferRequest& request, core::Completion done) { EchoAs("why", request, std::move(done)); };
  access::Policy access_;
  base::FakeClock clock_;
  std::unique_ptr<base::Logger> logger_ = base::Logger::Silent();
  core::FakeDispatcher dispatcher_;
  core::FakeCatalog catalog_;
  net::FakeLoop loop_;
  net::Reply::Target replies_{loop_};
  net::FakeExchange exchange_{replies_};
  net::FakePool pool_;
  std::unique_ptr<net::HttpHandler> handler_;
};

TEST_F(HandlerTest, Predicts) {
  EXPECT_EQ(Post("/v1/models/m:predict", R"({"instances": [1, 2.5]})"), R"(200 {"predictions":[1.0,2.5]})");
  EXPECT_EQ(Post("/v1/models/m:predict", R"({"inputs": {"x": [1]}})"), R"(200 {"predictions":[1.0]})");
  EXPECT_EQ(dispatcher_.last->model_name, "m");
  EXPECT_EQ(Post("/v1/models/n:predict", "["), R"(404 {"error":"Model with name n does not exist."})");
  dispatcher_.unavailable = "loading";
  EXPECT_EQ(Post("/v1/models/m:predict", "["), R"(503 {"error":"Model with name m is not ready."})");
}

TEST_F(HandlerTest, BigAndCompressedBodiesGoByWayOfThePool) {
  options_.offload_bytes = 10;
  EXPECT_EQ(Post("/v1/models/m:predict", R"({"instances": [1, 2.5]})"), R"(200 {"predictions":[1.0,2.5]})");
  const base::BufferSlice plain(base::Buffer::CopyOf(R"({"instances": [7]})"));
  const auto compressed = net::Compress(net::ContentCoding::kGzip, {&plain, 1});
  ASSERT_TRUE(compressed.has_value());
  EXPECT_EQ(Post("/v1/models/m:predict", compressed->view(), {{"Content-Encoding", "gzip"}}),
            R"(200 {"predictions":[7.0]})");
}

TEST_F(HandlerTest, BodiesThatAreNoTensorsGoToModelsThatReadThem) {
  core::ModelSignature accepted = dispatcher_.models["m"]->signature_;
  accepted.inputs.push_back({.name = "kserve_payload",
                             .datatype = DataType::kBytes,
                             .shape = {-1},
                             .alternative = true,
                             .carries_body = true});
  accepted.outputs.push_back({.name = "kserve_response",
                              .datatype = DataType::kBytes,
                              .shape = {-1},
                              .alternative = true,
                              .carries_body = true});
  dispatcher_.models["m"]->accepted_ = accepted;
  EXPECT_EQ(Post("/v1/models/m:predict", R"({"instances": [1, 2.5]})"), R"(200 {"predictions":[1.0,2.5]})");
  dispatcher_.infer = [](const core::PinnedModel&, const core::InferRequest& request, core::Completion done) {
    core::InferResponse response;
    response.outputs.push_back(request.inputs.at(0));
    response.outputs.at(0).name = "kserve_response";
    done.Send(std::move(response));
  };
  EXPECT_EQ(Post("/v1/models/m:predict", R"({"instances": [{"a": "b"}]})"), R"(200 {"instances": [{"a": "b"}]})");
  EXPECT_EQ(Post("/v1/models/m:predict", "[").substr(0, 3), "400") << "no JSON object: nothing is asked";
}

TEST_F(HandlerTest, AModelWithoutInputsNeedsNoBody) {
  dispatcher_.models["m"]->signature_.inputs.clear();
  dispatcher_.infer = [](const core::PinnedModel&, const core::InferRequest& request, core::Completion done) {
    EXPECT_TRUE(request.inputs.empty());
    core::InferResponse response;
    response.outputs.push_back({.name = "y",
                                .datatype = DataType::kUint8,
                                .shape = {1},
                                .data = base::BufferSlice(base::Buffer::CopyOf("\7")),
                                .parameters = {}});
    done.Send(std::move(response));
  };
  EXPECT_EQ(Post("/v1/models/m:predict", ""), R"(200 {"predictions":[7]})");
  EXPECT_EQ(Post("/v1/models/m:predict", "{}"), R"(200 {"predictions":[7]})");
  EXPECT_EQ(Post("/v1/models/m:predict", "[").substr(0, 3), "400");
}

TEST_F(HandlerTest, SaysWhatThereIs) {
  EXPECT_EQ(Get("/"), R"(200 {"status":"alive"})");
  EXPECT_EQ(Get("/v1/models"), R"(200 {"models":["a","b"]})");
  EXPECT_EQ(Get("/v1/models/m"), R"(200 {"name":"m","ready":true})");
  EXPECT_EQ(Get("/v1"), R"(404 {"detail":"Not Found"})");
}

TEST_F(HandlerTest, ExplainsWithASecondModel) {
  configuration_.explainer = {.model = "e", .version = 3};
  dispatcher_.models["e"]->version_ = "3";
  EXPECT_EQ(Post("/v1/models/m:explain", R"({"instances": [1, 2]})"),
            R"(200 {"predictions":[1.0,2.0],"explanations":[1.0,2.0]})");
  ASSERT_NE(explained_, nullptr);
  EXPECT_EQ(explained_->model_name, "e");
  EXPECT_EQ(explained_->model_version, "3");
  EXPECT_NE(explained_->cancel, nullptr);
}

TEST_F(HandlerTest, TheExplainerSeesTheAnswerToo) {
  configuration_.explainer = {.model = "e"};
  explainer_->signature_.inputs.push_back({.name = "said_x", .datatype = DataType::kFp32, .shape = {-1}});
  explainer_->signature_.inputs.push_back(
      {.name = "more", .datatype = DataType::kFp32, .shape = {-1}, .optional = true});
  dispatcher_.infer = [](const core::PinnedModel&, const core::InferRequest& request, core::Completion done) {
    EchoAs("said", request, std::move(done));
  };
  EXPECT_EQ(Post("/v1/models/m:explain", R"({"instances": [5]})"),
            R"(200 {"predictions":[5.0],"explanations":[{"why_x":5.0,"why_said_x":5.0}]})");
  explainer_->signature_.inputs.push_back({.name = "z", .datatype = DataType::kFp32, .shape = {-1}});
  EXPECT_THAT(Post("/v1/models/m:explain", R"({"instances": [5]})"),
              HasSubstr("500 {\"error\":\"explainer 'e' of model 'm' has an input 'z'"));
}

TEST_F(HandlerTest, WithoutAnExplainerNothingIsExplained) {
  EXPECT_THAT(Post("/v1/models/m:explain", R"({"instances": [1]})"),
              HasSubstr("501 {\"error\":\"Model with name m has no explainer"));
  configuration_.explainer = {.model = "gone"};
  EXPECT_THAT(Post("/v1/models/m:explain", R"({"instances": [1]})"), HasSubstr("explainer of model 'm'"));
  configuration_.explainer = {.model = "e"};
  explain_ = [](const core::InferRequest&, core::Completion done) { done.Fail(base::Internal("no idea")); };
  EXPECT_THAT(Post("/v1/models/m:explain", R"({"instances": [1]})"),
              HasSubstr("500 {\"error\":\"explainer 'e' of model 'm': no idea"));
  explained_ = nullptr;
  dispatcher_.infer = [](const core::PinnedModel&, const core::InferRequest&, core::Completion done) {
    done.Fail(base::InvalidArgument("bad"));
  };
  EXPECT_EQ(Post("/v1/models/m:explain", R"({"instances": [1]})"), R"(400 {"error":"bad"})");
  EXPECT_EQ(explained_, nullptr) << "the explainer is not asked";
}

TEST_F(HandlerTest, EventsAreAnsweredWithEvents) {
  const Headers event = {{"ce-specversion", "1.0"}, {"ce-id", "1"}, {"ce-source", "s"}, {"ce-type", "t"}};
  const net::HttpResponse answer = Ask(net::Method::kPost, "/v1/models/m:predict", R"({"instances": [1]})", event);
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(BodyText(answer), R"({"predictions":[1.0]})");
  EXPECT_EQ(HeaderValue(answer, "ce-source"), "io.kserve.inference.m");
}

}  // namespace
}  // namespace inferd::kserve_v1

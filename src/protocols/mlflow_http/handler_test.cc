#include "protocols/mlflow_http/handler.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "data/tensor/bytes.h"
#include "net/compression/compression.h"
#include "net/fake_exchange.h"
#include "net/http/target.h"
#include "protocols/mlflow_http/codec/body_fixture.h"
#include "serving/core/fake_catalog.h"
#include "serving/core/fake_dispatcher.h"

namespace inferd::mlflow_http {
namespace {

using tensor::DataType;
using ::testing::HasSubstr;
using ::testing::StartsWith;
using Headers = std::vector<std::pair<std::string_view, std::string_view>>;

constexpr std::string_view kRows = R"({"instances": [[1, 2.5]]})";

// The front-end's interfaces, driven by hand: m, an echo of X.
class HandlerTest : public ::testing::Test {
 protected:
  HandlerTest() {
    auto model = std::make_shared<core::FakePinned>();
    model->signature_ = MatrixSignature();
    dispatcher_.models["m"] = std::move(model);
    catalog_.names = {"m"};
    handler_ = MakeHandler({.options = options_,
                            .access = access_,
                            .dispatcher = dispatcher_,
                            .catalog = catalog_,
                            .pool = pool_,
                            .logger = *logger_,
                            .clock = clock_});
  }

  net::HttpResponse Ask(net::Method method, std::string_view target, std::string_view body, const Headers& headers) {
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
  std::string Post(std::string_view target, std::string_view body,
                   const Headers& headers = {{"Content-Type", "application/json"}}) {
    const net::HttpResponse response = Ask(net::Method::kPost, target, body, headers);
    return std::to_string(response.status) + " " + BodyText(response);
  }
  std::string Get(std::string_view target) {
    const net::HttpResponse response = Ask(net::Method::kGet, target, "", {});
    return std::to_string(response.status) + " " + BodyText(response);
  }
  // Sets the model's answer.
  void Answer(std::vector<core::InferTensor> outputs, core::Parameters parameters = {}) {
    dispatcher_.infer = [outputs = std::move(outputs), parameters = std::move(parameters)](
                            const core::PinnedModel&, const core::InferRequest&, core::Completion done) {
      core::InferResponse response;
      response.outputs = outputs;
      response.parameters = parameters;
      done.Send(std::move(response));
    };
  }
  static core::InferTensor Numbers(std::string name, std::vector<float> values) {
    const std::string_view bytes(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(float));
    return {.name = std::move(name),
            .datatype = DataType::kFp32,
            .shape = {static_cast<int64_t>(values.size())},
            .data = base::BufferSlice(base::Buffer::CopyOf(bytes)),
            .parameters = {}};
  }
  static core::InferTensor Texts(std::string name, const std::vector<std::string>& values) {
    tensor::BytesPacker packer(64);
    for (const std::string& value : values) EXPECT_TRUE(packer.Append(value).ok());
    return {.name = std::move(name),
            .datatype = DataType::kBytes,
            .shape = {static_cast<int64_t>(values.size())},
            .data = base::BufferSlice(packer.Take()),
            .parameters = {}};
  }

  Options options_;
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

// A model that MLflow saved reads bodies itself.
TEST_F(HandlerTest, BodiesGoToModelsThatTakeThem) {
  core::ModelSignature accepted = MatrixSignature();
  accepted.inputs.push_back({.name = "mlflow_payload",
                             .datatype = DataType::kBytes,
                             .shape = {-1},
                             .alternative = true,
                             .carries_body = true});
  accepted.outputs.push_back({.name = "mlflow_response",
                              .datatype = DataType::kBytes,
                              .shape = {-1},
                              .alternative = true,
                              .carries_body = true});
  dispatcher_.models["m"]->accepted_ = accepted;
  Answer({Texts("mlflow_response", {R"({"predictions": ["a"]})"})});
  EXPECT_EQ(Post("/invocations", kRows), R"(200 {"predictions": ["a"]})");
  EXPECT_EQ(Post("/invocations", "x\n1\n", {{"Content-Type", "text/csv"}}), R"(200 {"predictions": ["a"]})");
  accepted.inputs.back().name = "kserve_payload";
  accepted.outputs.back().name = "kserve_response";
  dispatcher_.models["m"]->accepted_ = accepted;
  Answer({Texts("kserve_response", {"{}"})});
  EXPECT_EQ(Post("/invocations", R"({"dataframe_records": [{"a": "b"}]})"), "200 {}") << "no rows of the one input";
  Answer({Numbers("p", {1})});
  EXPECT_EQ(Post("/invocations", kRows), R"(200 {"predictions":[1.0]})");
}

TEST_F(HandlerTest, Invokes) {
  EXPECT_EQ(Post("/invocations", kRows), R"(200 {"predictions":[[1.0,2.5]]})");
  EXPECT_EQ(Post("/models/m/invocations", kRows), R"(200 {"predictions":[[1.0,2.5]]})");
  EXPECT_EQ(Post("/invocations", "a,b\n3,4\n", {{"Content-Type", "text/csv"}}), R"(200 {"predictions":[[3.0,4.0]]})");
  EXPECT_EQ(dispatcher_.last->model_name, "m");
}

TEST_F(HandlerTest, TheModelThatIsMeant) {
  catalog_.names = {"m", "n"};
  EXPECT_THAT(Post("/invocations", kRows),
              StartsWith(R"(404 {"error_code":"RESOURCE_DOES_NOT_EXIST","message":"There are 2)"));
  options_.model = "m";
  EXPECT_THAT(Post("/invocations", kRows), StartsWith("200 "));
  EXPECT_THAT(Post("/models/x/invocations", kRows), StartsWith("404 "));
  options_.model.clear();
  catalog_.names = {};
  EXPECT_THAT(Post("/invocations", kRows), HasSubstr("There is no model here"));
}

TEST_F(HandlerTest, SeveralOutputsAndTables) {
  Answer({Numbers("p", {0.5, 1}), Texts("t", {"a", "b"})});
  EXPECT_EQ(Post("/invocations", kRows), R"(200 {"predictions":{"p":[0.5,1.0],"t":["a","b"]}})");
  Answer({Numbers("p", {0.5, 1}), Texts("t", {"a", "b"})}, {{"content_type", std::string("pd")}});
  EXPECT_EQ(Post("/invocations", kRows), R"(200 {"predictions":[{"p":0.5,"t":"a"},{"p":1.0,"t":"b"}]})");
  Answer({Texts("t", {"\xFF\xFE", "b"})});
  EXPECT_EQ(Post("/invocations", kRows), R"(200 {"predictions":["//4=","Yg=="]})");
  Answer({Numbers("p", {0.5, 1}), Texts("t", {"a"})}, {{"content_type", std::string("pd")}});
  EXPECT_THAT(Post("/invocations", kRows), HasSubstr("is no column of the table"));
}

TEST_F(HandlerTest, Failures) {
  EXPECT_THAT(Post("/invocations", "["),
              StartsWith(R"(400 {"error_code":"BAD_REQUEST","message":"Invalid input. Ensure)"));
  EXPECT_THAT(
      Post("/invocations", R"({"instances": [[1]]})"),
      StartsWith(R"(400 {"error_code":"INVALID_PARAMETER_VALUE","message":"Failed to predict data '[[1]]'. \nError)"));
  dispatcher_.infer = [](const core::PinnedModel&, const core::InferRequest&, core::Completion done) {
    done.Fail(base::Internal("KeyError: 'a'"));
  };
  EXPECT_EQ(Post("/invocations", kRows),
            R"(400 {"error_code":"BAD_REQUEST","message":"Encountered an unexpected error while evaluating the model. )"
            R"(Verify that the serialized input Dataframe is compatible with the model for inference.",)"
            R"("stack_trace":"KeyError: 'a'"})");
  dispatcher_.infer = [](const core::PinnedModel&, const core::InferRequest&, core::Completion done) {
    done.Fail(base::ResourceExhausted("the queue is full"));
  };
  const net::HttpResponse full = Ask(net::Method::kPost, "/invocations", kRows, {{"Content-Type", "application/json"}});
  EXPECT_EQ(full.status, 429);
  EXPECT_EQ(HeaderValue(full, "Retry-After"), "1");
  dispatcher_.unavailable = "loading";
  EXPECT_THAT(Post("/invocations", kRows), StartsWith(R"(503 {"error_code":"TEMPORARILY_UNAVAILABLE")"));
}

TEST_F(HandlerTest, WhatIsNotRead) {
  EXPECT_EQ(Post("/invocations", kRows, {{"Content-Type", "application/json; charset=utf-16"}}),
            "415 The scoring server only supports UTF-8");
  EXPECT_THAT(Post("/invocations", kRows, {}), StartsWith("415 This predictor only supports"));
  EXPECT_THAT(Post("/invocations", kRows, {{"Content-Type", "application/json"}, {"Content-Encoding", "br"}}),
              StartsWith("415 Content-Encoding"));
  EXPECT_EQ(Get("/invocations"), R"(405 {"detail":"Method Not Allowed"})");
}

TEST_F(HandlerTest, BigAndCompressedBodiesGoByWayOfThePool) {
  options_.offload_bytes = 10;
  EXPECT_EQ(Post("/invocations", kRows), R"(200 {"predictions":[[1.0,2.5]]})");
  const base::BufferSlice plain(base::Buffer::CopyOf(kRows));
  const auto compressed = net::Compress(net::ContentCoding::kGzip, {&plain, 1});
  ASSERT_TRUE(compressed.has_value());
  EXPECT_EQ(
      Post("/invocations", compressed->view(), {{"Content-Type", "application/json"}, {"Content-Encoding", "gzip"}}),
      R"(200 {"predictions":[[1.0,2.5]]})");
}

TEST_F(HandlerTest, Health) {
  EXPECT_EQ(Get("/ping"), "200 \n");
  EXPECT_EQ(Get("/health"), "200 \n");
  catalog_.names = {"m", "n"};
  EXPECT_EQ(Get("/ping"), "200 \n") << "as ready as the server";
  catalog_.ready = false;
  EXPECT_EQ(Get("/ping"), "404 \n");
  options_.model = "m";
  EXPECT_EQ(Get("/ping"), "200 \n");
  catalog_.model_ready = base::NotFound("it has gone");
  EXPECT_EQ(Get("/health"), "404 \n");
  EXPECT_THAT(Get("/version"), StartsWith("200 "));
}

}  // namespace
}  // namespace inferd::mlflow_http

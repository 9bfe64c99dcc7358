#include "protocols/tfs_http/infer_call.h"

#include <gtest/gtest.h>

#include "protocols/tfs_http/handler_fixture.h"

namespace inferd::tfs_http {
namespace {

TEST(InferCallTest, MethodsCountWhereTheyAreChecked) {
  TestServer server;
  server.dispatcher.models["m"] = Model({{.name = "x", .datatype = tensor::DataType::kFp32, .shape = {-1}}},
                                        {{.name = "x", .datatype = tensor::DataType::kFp32, .shape = {-1}}});
  auto& signature = server.dispatcher.models["m"]->signature_;
  signature.name = "serving_default";
  signature.method_name = "other";
  const auto predict = [&] { return server.AnswerTo("/v1/models/m:predict", R"({"instances": [1]})"); };
  const auto regress = [&] { return server.AnswerTo("/v1/models/m:regress", R"({"examples": [{"x": 1}]})"); };
  EXPECT_EQ(predict(), R"(200 {"predictions":[1.0]})");
  server.options.check_methods = true;
  EXPECT_EQ(predict(),
            R"(500 {"error":"Expected prediction signature method_name to be one of {tensorflow/serving/predict, )"
            R"(tensorflow/serving/classify, tensorflow/serving/regress}. Was: other"})");
  EXPECT_EQ(
      regress(),
      R"(400 {"error":"Expected regression signature method_name to be tensorflow/serving/regress. Was: other"})");
  EXPECT_EQ(server.AnswerTo("/v1/models/m:classify", R"({"examples": [{"x": 1}]})"),
            R"(400 {"error":"Expected classification signature method_name to be tensorflow/serving/classify. )"
            R"(Was: other"})");
  EXPECT_EQ(server.Post("/v1/models/m:predict", R"({"instances": ["one"]})").status, 400) << "the body goes first";
  signature.method_name = "tensorflow/serving/regress";
  EXPECT_EQ(predict(), R"(200 {"predictions":[1.0]})");
  EXPECT_EQ(regress(), R"(200 {"result":[1.0],"results":[1.0]})");
}

}  // namespace
}  // namespace inferd::tfs_http

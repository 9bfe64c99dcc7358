#include "protocols/tfs_http/logged_request.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "protocols/tfs/api_messages.h"
#include "protocols/tfs_http/handler_fixture.h"

namespace inferd::tfs_http {
namespace {

using tensor::DataType;

class LoggedRequestTest : public ::testing::Test {
 protected:
  LoggedRequestTest() {
    server_.dispatcher.models["m"] = Model({{.name = "x", .datatype = DataType::kFp32, .shape = {-1, 2}}},
                                           {{.name = "x", .datatype = DataType::kFp32, .shape = {-1, 2}}});
    server_.request_log.logged = "m";
  }

  const std::string request_spec_ = tfs::ModelSpecMessage("m", "", "serving_default");
  TestServer server_;
};

TEST_F(LoggedRequestTest, APredictionAsItsTensors) {
  ASSERT_EQ(server_.Post("/v1/models/m:predict", R"({"instances": [[1, 2]]})").status, 200);
  ASSERT_EQ(server_.request_log.calls.size(), 1u);
  tfs::LoggedCall& call = server_.request_log.calls[0];
  EXPECT_EQ(call.api, tfs::Api::kPredict);
  EXPECT_EQ(call.model, "m");
  EXPECT_EQ(call.version, "1");
  EXPECT_EQ(call.bytes, 16u);
  core::InferTensor x;
  x.name = "x";
  x.datatype = DataType::kFp32;
  x.shape = {1, 2};
  x.data = base::BufferSlice(base::Buffer::CopyOf(std::string_view("\0\0\x80\x3f\0\0\0\x40", 8)));
  const auto messages = call.make_messages().value();
  EXPECT_EQ(messages.request, tfs::PredictRequestMessage(request_spec_, std::span(&x, 1)));
  EXPECT_THAT(messages.response, ::testing::StartsWith("\x0a"));
  EXPECT_THAT(messages.response, ::testing::HasSubstr(x.data.view()));
}

TEST_F(LoggedRequestTest, AClassificationAsTheExamplesThatCame) {
  const std::string_view body = R"({"examples": [{"x": [1, 2], "y": "kept"}]})";
  ASSERT_EQ(server_.Post("/v1/models/m:classify", body).status, 200);
  ASSERT_EQ(server_.request_log.calls.size(), 1u);
  tfs::LoggedCall& call = server_.request_log.calls[0];
  EXPECT_EQ(call.api, tfs::Api::kClassify);
  const auto messages = call.make_messages().value();
  EXPECT_THAT(messages.request,
              ::testing::StartsWith("\x0a" + std::string(1, static_cast<char>(request_spec_.size())) + request_spec_));
  EXPECT_THAT(messages.request, ::testing::HasSubstr("kept"));
  EXPECT_FALSE(messages.response.empty());
}

TEST_F(LoggedRequestTest, FailuresAndOtherModelsAreNotLogged) {
  EXPECT_EQ(server_.Post("/v1/models/m:predict", R"({"instances": ["a"]})").status, 400);
  EXPECT_EQ(server_.Post("/v1/models/m:regress", R"({"examples": [{"x": [1, 2]}]})").status, 400);
  server_.request_log.logged = "n";
  EXPECT_EQ(server_.Post("/v1/models/m:predict", R"({"instances": [[1, 2]]})").status, 200);
  EXPECT_TRUE(server_.request_log.calls.empty());
}

}  // namespace
}  // namespace inferd::tfs_http

#include "ctl/infer_codec.h"

#include <gtest/gtest.h>

namespace inferd::ctl {
namespace {

base::BufferSlice Slice(std::string_view bytes) { return base::BufferSlice(base::Buffer::CopyOf(bytes)); }

NamedTensor Input() {
  return {.name = "x",
          .datatype = tensor::DataType::kInt16,
          .shape = {1, 2},
          .data = Slice(std::string_view("\1\0\2\0", 4))};
}

TEST(InferCodecTest, WritesJson) {
  InferOptions options;
  options.model = "a b";
  options.version = "2";
  options.id = "i";
  options.outputs = {"y"};
  options.classes = 3;
  const auto request = EncodeInfer(options, {Input()}).value();
  EXPECT_EQ(request.path, "/v2/models/a%20b/versions/2/infer");
  EXPECT_EQ(request.body, R"({"id":"i","inputs":[{"name":"x","datatype":"INT16","shape":[1,2],"data":[1,2]}],)"
                          R"("outputs":[{"name":"y","parameters":{"classification":3}}]})");
}

TEST(InferCodecTest, WritesBinary) {
  InferOptions options;
  options.model = "m";
  options.wire = Wire::kBinary;
  const auto request = EncodeInfer(options, {Input()}).value();
  const std::string json =
      R"({"parameters":{"binary_data_output":true},"inputs":[{"name":"x","datatype":"INT16","shape":[1,2],)"
      R"("parameters":{"binary_data_size":4}}]})";
  EXPECT_EQ(request.body, json + std::string("\1\0\2\0", 4));
  EXPECT_EQ(request.headers[1].second, std::to_string(json.size()));
}

TEST(InferCodecTest, ReadsBothForms) {
  net::ClientResponse response;
  response.body = R"({"outputs":[{"data":[1.5,NaN],"shape":[2],"datatype":"FP32","name":"y"}],"model_name":"m"})";
  const auto json = DecodeInfer(response);
  ASSERT_TRUE(json.has_value()) << json.error().message();
  EXPECT_EQ(json->outputs[0].data.size(), 8u);
  const std::string head = R"({"model_name":"m","model_version":"1","id":"i","parameters":{"a":1},"outputs":[)"
                           R"({"name":"y","datatype":"INT8","shape":[2],"parameters":{"binary_data_size":2}},)"
                           R"({"name":"z","datatype":"INT8","shape":[1],"parameters":{"binary_data_size":1}}]})";
  response.body = head + "abc";
  response.headers = {{"inference-header-content-length", std::to_string(head.size())}};
  const auto binary = DecodeInfer(response);
  ASSERT_TRUE(binary.has_value()) << binary.error().message();
  EXPECT_EQ(binary->model_version, "1");
  EXPECT_EQ(binary->id, "i");
  EXPECT_EQ(binary->outputs[0].data.view(), "ab");
  EXPECT_EQ(binary->outputs[1].data.view(), "c");
}

TEST(InferCodecTest, RefusesMalformedAnswers) {
  for (const char* body :
       {"", "[]", R"({"outputs":[{"name":"y","datatype":"INT8","shape":[2],"data":[1]}]})",
        R"({"outputs":[{"name":"y","datatype":"WHAT","shape":[2],"data":[1,2]}]})",
        R"({"outputs":[{"name":"y","datatype":"INT8","shape":[2]}]})",
        R"({"outputs":[{"name":"y","datatype":"INT8","shape":[2],"parameters":{"binary_data_size":2}}]})"}) {
    net::ClientResponse response;
    response.body = body;
    EXPECT_EQ(DecodeInfer(response).error().code(), base::StatusCode::kInternal) << body;
  }
}

}  // namespace
}  // namespace inferd::ctl

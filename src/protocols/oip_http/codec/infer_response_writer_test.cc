#include "protocols/oip_http/codec/infer_response_writer.h"

#include <gtest/gtest.h>

#include <cstring>
#include <limits>

#include "protocols/oip_http/handler_fixture.h"

namespace inferd::oip_http {
namespace {

using tensor::DataType;

core::InferTensor Tensor(std::string name, DataType datatype, tensor::Shape shape, std::string_view bytes) {
  core::InferTensor tensor;
  tensor.name = std::move(name);
  tensor.datatype = datatype;
  tensor.shape = std::move(shape);
  tensor.data = base::BufferSlice(base::Buffer::CopyOf(bytes));
  return tensor;
}

template <typename T>
std::string_view BytesOf(const std::vector<T>& values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T)};
}

core::InferResponse ResponseWith(std::vector<core::InferTensor> outputs) {
  core::InferResponse response;
  response.model_name = "m";
  response.model_version = "3";
  response.outputs = std::move(outputs);
  return response;
}

TEST(WriteInferResponseTest, TheDocumentsExample) {
  core::InferResponse response = ResponseWith(
      {Tensor("output0", DataType::kFp32, {3, 2}, BytesOf(std::vector<float>{1.0f, 1.1f, 2.0f, 2.1f, 3.0f, 3.1f}))});
  response.id = "42";
  const auto http = WriteInferResponse(std::move(response), {}, {}, {});
  ASSERT_TRUE(http.has_value()) << http.error().ToString();
  EXPECT_EQ(http->status, 200);
  EXPECT_EQ(HeaderValue(*http, "Content-Type"), "application/json");
  EXPECT_EQ(BodyText(*http),
            R"({"model_name":"m","model_version":"3","id":"42","outputs":[{"name":"output0","datatype":"FP32",)"
            R"("shape":[3,2],"data":[1.0,1.1,2.0,2.1,3.0,3.1]}]})");
}

// Refused even as binary data, since the JSON has the datatype.
TEST(WriteInferResponseTest, TypesThatOnlyTensorflowHasAreRefused) {
  for (const bool binary : {false, true}) {
    v2::OutputForms forms;
    forms.default_form.binary = binary;
    const auto http = WriteInferResponse(
        ResponseWith({Tensor("c", DataType::kComplex64, {1}, BytesOf(std::vector<float>{1, 2}))}), forms, {}, {});
    ASSERT_FALSE(http.has_value());
    EXPECT_EQ(http.error(),
              base::Unimplemented("tensor 'c' has elements of type COMPLEX64, which this protocol does not "
                                  "have: TensorFlow Serving's gRPC has it"));
  }
}

TEST(WriteInferResponseTest, ParametersOfResponseAndOutputs) {
  core::InferResponse response = ResponseWith({Tensor("y", DataType::kBool, {1}, "\1")});
  response.parameters = {{"a", std::string("x")}, {"b", int64_t{-1}}};
  response.outputs[0].parameters = {{"c", true}, {"d", 0.5}};
  const auto http = WriteInferResponse(std::move(response), {}, {}, {});
  ASSERT_TRUE(http.has_value());
  EXPECT_EQ(BodyText(*http),
            R"({"model_name":"m","model_version":"3","parameters":{"a":"x","b":-1},"outputs":[{"name":"y",)"
            R"("datatype":"BOOL","shape":[1],"parameters":{"c":true,"d":0.5},"data":[true]}]})");
}

TEST(WriteInferResponseTest, BinaryOutputsFollowTheJsonWithoutACopy) {
  core::InferResponse response =
      ResponseWith({Tensor("y", DataType::kInt8, {4}, "abcd"), Tensor("j", DataType::kInt8, {1}, "\5"),
                    Tensor("e", DataType::kInt8, {0}, ""), Tensor("z", DataType::kInt8, {2}, "ef")});
  const std::byte* const first = response.outputs[0].data.data();
  const std::byte* const last = response.outputs[3].data.data();
  v2::OutputForms forms;
  forms.forms = {{.binary = true}, {}, {.binary = true}, {.binary = true}};
  const auto http = WriteInferResponse(std::move(response), forms, {}, {});
  ASSERT_TRUE(http.has_value());
  const std::string json =
      R"({"model_name":"m","model_version":"3","outputs":[{"name":"y","datatype":"INT8","shape":[4],"parameters":)"
      R"({"binary_data_size":4}},{"name":"j","datatype":"INT8","shape":[1],"data":[5]},{"name":"e","datatype":"INT8",)"
      R"("shape":[0],"parameters":{"binary_data_size":0}},{"name":"z","datatype":"INT8","shape":[2],"parameters":)"
      R"({"binary_data_size":2}}]})";
  EXPECT_EQ(BodyText(*http), json + "abcdef");
  EXPECT_EQ(HeaderValue(*http, "Content-Type"), "application/octet-stream");
  EXPECT_EQ(HeaderValue(*http, "Inference-Header-Content-Length"), std::to_string(json.size()));
  ASSERT_EQ(http->body.size(), 3u);
  EXPECT_EQ(http->body[1].data(), first);
  EXPECT_EQ(http->body[2].data(), last);
}

TEST(WriteInferResponseTest, BytesOutputsNeedUtf8OrBase64) {
  const std::string_view packed("\2\0\0\0\xff\0\1\0\0\0a", 11);
  auto http = WriteInferResponse(ResponseWith({Tensor("y", DataType::kBytes, {2}, packed)}), {}, {}, {});
  ASSERT_FALSE(http.has_value());
  EXPECT_EQ(http.error().code(), base::StatusCode::kInvalidArgument);
  EXPECT_NE(http.error().message().find("output 'y'"), std::string::npos);
  v2::OutputForms forms;
  forms.default_form.base64 = true;
  http = WriteInferResponse(ResponseWith({Tensor("y", DataType::kBytes, {2}, packed)}), forms, {}, {});
  ASSERT_TRUE(http.has_value());
  EXPECT_EQ(BodyText(*http),
            R"({"model_name":"m","model_version":"3","outputs":[{"name":"y","datatype":"BYTES","shape":[2],)"
            R"("parameters":{"content_type":"base64"},"data":["/wA=","YQ=="]}]})");
}

TEST(WriteInferResponseTest, ClassificationUsesTheOutputsLabels) {
  core::ModelSignature signature;
  signature.max_batch_size = 8;
  signature.outputs = {
      {.name = "y", .datatype = DataType::kFp32, .shape = {-1, 3}, .optional = false, .labels = {"a", "b", "c"}}};
  v2::OutputForms forms;
  forms.forms = {{.classes = 2}};
  const auto http = WriteInferResponse(
      ResponseWith({Tensor("y", DataType::kFp32, {1, 3}, BytesOf(std::vector<float>{0.5f, 2.5f, 1.0f}))}), forms,
      signature, {});
  ASSERT_TRUE(http.has_value());
  EXPECT_EQ(BodyText(*http),
            R"({"model_name":"m","model_version":"3","outputs":[{"name":"y","datatype":"BYTES","shape":[1,2],)"
            R"("data":["2.5:1:b","1:2:c"]}]})");
}

TEST(WriteInferResponseTest, NonFiniteValuesAsTheOptionSays) {
  const std::vector<double> values = {std::numeric_limits<double>::quiet_NaN(),
                                      -std::numeric_limits<double>::infinity()};
  const auto write = [&](tensorjson::NonFinite mode) {
    Options options;
    options.nonfinite = mode;
    const auto http =
        WriteInferResponse(ResponseWith({Tensor("y", DataType::kFp64, {2}, BytesOf(values))}), {}, {}, options);
    if (!http.has_value()) return http.error().message();
    const std::string body = BodyText(*http);
    return body.substr(body.find("\"data\""));
  };
  EXPECT_EQ(write(tensorjson::NonFinite::kTokens), R"("data":[NaN,-Infinity]}]})");
  EXPECT_EQ(write(tensorjson::NonFinite::kStrings), R"("data":["NaN","-Infinity"]}]})");
  EXPECT_EQ(write(tensorjson::NonFinite::kNull), R"("data":[null,null]}]})");
  EXPECT_NE(write(tensorjson::NonFinite::kError).find("output 'y'"), std::string::npos);
}

TEST(CompressBodyTest, LeavesSmallBodiesAlone) {
  Options options;
  options.compress_bytes_min = 100;
  net::HttpResponse small = net::HttpResponse::Text(200, "text/plain", std::string(99, 'a'));
  EXPECT_TRUE(CompressBody(small, net::ContentCoding::kGzip, options).ok());
  EXPECT_EQ(HeaderValue(small, "Content-Encoding"), "");
  net::HttpResponse big = net::HttpResponse::Text(200, "text/plain", std::string(1000, 'a'));
  EXPECT_TRUE(CompressBody(big, net::ContentCoding::kGzip, options).ok());
  EXPECT_EQ(HeaderValue(big, "Content-Encoding"), "gzip");
  EXPECT_LT(BodyText(big).size(), 100u);
}

}  // namespace
}  // namespace inferd::oip_http

#include "protocols/v2/bodies/whole_body.h"

#include <gtest/gtest.h>

namespace inferd::v2 {
namespace {

using tensor::DataType;

core::ModelSignature Signature() {
  return {.inputs = {{.name = "kserve_payload", .datatype = DataType::kBytes, .shape = {1}}},
          .outputs = {{.name = "kserve_response", .datatype = DataType::kBytes, .shape = {1}}}};
}

TEST(WholeBodyTest, WhichModelsTakeBodies) {
  core::ModelSignature signature = Signature();
  EXPECT_TRUE(TakesWholeBody(signature));
  EXPECT_TRUE(TakesOnlyWholeBody(signature));
  signature.inputs.push_back({.name = "x", .datatype = DataType::kFp32, .shape = {-1}});
  EXPECT_TRUE(TakesWholeBody(signature));
  EXPECT_FALSE(TakesOnlyWholeBody(signature));
  signature.inputs[0].datatype = DataType::kFp32;
  EXPECT_FALSE(TakesWholeBody(signature));
  signature = Signature();
  signature.outputs.clear();
  EXPECT_FALSE(TakesWholeBody(signature));
}

TEST(WholeBodyTest, ModelsOfTensorsMayTakeBodiesInstead) {
  core::ModelSignature signature = Signature();
  EXPECT_FALSE(TakesBodyInstead(signature));
  signature.inputs[0].alternative = signature.inputs[0].carries_body = true;
  EXPECT_FALSE(TakesBodyInstead(signature));
  signature.outputs[0].alternative = signature.outputs[0].carries_body = true;
  EXPECT_TRUE(TakesBodyInstead(signature));
  EXPECT_FALSE(TakesBodyInstead(signature, kInvocationTensors));
  EXPECT_FALSE(TakesBodyInstead(signature.Shown()));
  const auto request = WholeBodyRequest("[]", {.protocol = "mlflow", .verb = "application/json"}, kInvocationTensors);
  ASSERT_TRUE(request.has_value());
  EXPECT_TRUE((*request)->whole_body);
  EXPECT_EQ((*request)->inputs.at(0).name, "mlflow_payload");
  EXPECT_EQ((*request)->outputs.at(0).name, "mlflow_response");
}

TEST(WholeBodyTest, HeadersAreNamedInLowerCase) {
  const std::pair<std::string_view, std::string_view> headers[] = {
      {"X-Request-ID", "a\"b"}, {"x-request-id", "c"}, {"A", "\xFF"}};
  EXPECT_EQ(HeadersJson(headers), "{\"x-request-id\":\"a\\\"b\",\"a\":\"\xEF\xBF\xBD\"}");
}

TEST(WholeBodyTest, ABodyGoesThereAndBack) {
  auto request = WholeBodyRequest("{\"instances\": []}", {.protocol = "v1", .verb = "explain", .headers = "{}"});
  ASSERT_TRUE(request.has_value());
  const core::Parameters expected = {{"kserve_protocol", std::string("v1")},
                                     {"kserve_verb", std::string("explain")},
                                     {"kserve_headers", std::string("{}")}};
  EXPECT_EQ((*request)->parameters, expected);
  EXPECT_EQ((*request)->outputs.at(0).name, "kserve_response");
  core::InferResponse response;
  response.outputs.push_back((*request)->inputs[0]);
  EXPECT_FALSE(WholeBodyOf(response).has_value());
  response.outputs[0].name = "kserve_response";
  EXPECT_EQ(WholeBodyOf(response)->view(), "{\"instances\": []}");
  response.outputs[0].shape = {0};
  EXPECT_FALSE(WholeBodyOf(response).has_value());
}

}  // namespace
}  // namespace inferd::v2

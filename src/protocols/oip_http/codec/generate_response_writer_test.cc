#include "protocols/oip_http/codec/generate_response_writer.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <string>
#include <vector>

#include "net/fake_exchange.h"

namespace inferd::oip_http {
namespace {

core::InferTensor Floats(std::string name, tensor::Shape shape, const std::vector<float>& values) {
  base::Buffer data = base::Buffer::Allocate(values.size() * sizeof(float));
  if (!values.empty()) std::memcpy(data.data(), values.data(), values.size() * sizeof(float));
  return {.name = std::move(name),
          .datatype = tensor::DataType::kFp32,
          .shape = std::move(shape),
          .data = base::BufferSlice(data),
          .parameters = {}};
}

core::InferTensor Text(std::string name, std::string_view value) {
  std::string packed(4, '\0');
  packed[0] = static_cast<char>(value.size());
  packed += value;
  return {.name = std::move(name),
          .datatype = tensor::DataType::kBytes,
          .shape = {1, 1},
          .data = base::BufferSlice(base::Buffer::CopyOf(packed)),
          .parameters = {}};
}

std::string Written(const core::InferResponse& response, const Options& options = {}) {
  const auto http = WriteGenerateResponse(response, options);
  return http.has_value() ? BodyText(*http) : http.error().message();
}

TEST(GenerateResponseWriterTest, OneElementHasNoBrackets) {
  core::InferResponse response;
  response.id = "7";
  response.model_name = "m";
  response.model_version = "2";
  response.parameters = {{"tokens", int64_t{3}}};
  response.outputs = {Text("text_output", "Hi \"you\""), Floats("one", {1}, {0.5}), Floats("two", {2, 1}, {1, 2}),
                      Floats("none", {0}, {})};
  EXPECT_EQ(Written(response),
            R"({"id":"7","model_name":"m","model_version":"2","tokens":3,"text_output":"Hi \"you\"","one":0.5,)"
            R"("two":[1.0,2.0],"none":[]})");
}

TEST(GenerateResponseWriterTest, NoNameStandsTwice) {
  core::InferResponse response;
  response.model_name = "m";
  response.model_version = "2";
  response.parameters = {{"a", int64_t{1}}, {"model_name", int64_t{2}}, {"b", int64_t{3}}};
  response.outputs = {Floats("a", {1}, {4}), Floats("model_version", {1}, {5})};
  EXPECT_EQ(Written(response), R"({"model_name":"m","b":3,"a":4.0,"model_version":5.0})");
}

TEST(GenerateResponseWriterTest, WhatJsonHasNoWordsFor) {
  core::InferResponse response;
  response.outputs = {Text("t", "\xff")};
  EXPECT_NE(Written(response).find("output 't': element 0 is not valid UTF-8"), std::string::npos);
  response.outputs = {Floats("f", {1}, {NAN})};
  EXPECT_EQ(Written(response), R"({"f":NaN})");
  Options options;
  options.nonfinite = tensorjson::NonFinite::kError;
  EXPECT_NE(Written(response, options).find("output 'f': element 0 is NaN"), std::string::npos);
}

}  // namespace
}  // namespace inferd::oip_http

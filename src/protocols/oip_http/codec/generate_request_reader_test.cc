#include "protocols/oip_http/codec/generate_request_reader.h"

#include <gtest/gtest.h>

#include <string>

namespace inferd::oip_http {
namespace {

constexpr size_t kDepth = 8;

core::ModelSignature GenerateModel() {
  using tensor::DataType;
  core::ModelSignature signature;
  signature.inputs = {
      {.name = "text", .datatype = DataType::kBytes, .shape = {-1, 1}},
      {.name = "grid", .datatype = DataType::kFp32, .shape = {-1, 2, -1, 3}},
      {.name = "pair", .datatype = DataType::kInt32, .shape = {2}},
      {.name = "scalar", .datatype = DataType::kBool, .shape = {}},
      {.name = "any", .datatype = DataType::kInt64, .shape = {}, .any_shape = true, .unknown_rank = true}};
  return signature;
}

std::string ShapeOf(std::string_view body) {
  const auto request = ReadGenerateRequest(body, GenerateModel(), kDepth);
  return request.has_value() ? (*request)->inputs.at(0).shape.ToString() : request.error().message();
}

std::string ErrorOf(std::string_view body) {
  const auto request = ReadGenerateRequest(body, GenerateModel(), kDepth);
  return request.has_value() ? "read" : request.error().message();
}

TEST(GenerateRequestReaderTest, ElementsFillTheShape) {
  EXPECT_EQ(ShapeOf(R"({"text":"Hi"})"), "[1,1]");
  EXPECT_EQ(ShapeOf(R"({"text":["a","b","c"]})"), "[3,1]");
  EXPECT_EQ(ShapeOf(R"({"text":[]})"), "[0,1]");
  EXPECT_EQ(ShapeOf(R"({"grid":[1,2,3,4,5,6,7,8,9,10,11,12]})"), "[1,2,2,3]");
  EXPECT_EQ(ShapeOf(R"({"pair":[1,2]})"), "[2]");
  EXPECT_EQ(ShapeOf(R"({"scalar":true})"), "[]");
  EXPECT_EQ(ShapeOf(R"({"any":[1,2,3]})"), "[3]");
  EXPECT_EQ(ShapeOf(R"({"any":1})"), "[]");
}

TEST(GenerateRequestReaderTest, ElementsThatDoNotAreRefused) {
  EXPECT_EQ(ErrorOf(R"({"pair":1})"),
            "The schema can not convert input 'pair' to tensor with proper shape: 1 element for shape [2]");
  EXPECT_EQ(ErrorOf(R"({"pair":[1,2,3,4]})"),
            "The schema can not convert input 'pair' to tensor with proper shape: 4 elements for shape [2]");
  EXPECT_EQ(ErrorOf(R"({"grid":[1,2,3,4,5]})"),
            "The schema can not convert input 'grid' to tensor with proper shape: 5 elements for shape [-1,2,-1,3]");
  EXPECT_EQ(ErrorOf(R"({"scalar":[true,false]})"),
            "The schema can not convert input 'scalar' to tensor with proper shape: 2 elements for shape []");
}

TEST(GenerateRequestReaderTest, DataOfAnotherKindAreRefused) {
  EXPECT_EQ(
      ErrorOf(R"({"text":7})"),
      "input 'text': attempt to access JSON non-string as string: data element 0: expected a string, got a number");
  EXPECT_NE(ErrorOf(R"({"pair":["a","b"]})").find("data element 0: expected "), std::string::npos);
  EXPECT_NE(ErrorOf(R"({"pair":[[1],[2]]})").find("input 'pair': data"), std::string::npos);
  EXPECT_NE(ErrorOf(R"({"pair":null})"), "read");
  EXPECT_NE(ErrorOf(R"({"pair":{"a":1}})"), "read");
  EXPECT_NE(ErrorOf(R"({"pair":[1,2)"), "read");
}

TEST(GenerateRequestReaderTest, OtherMembersAreParameters) {
  const auto request = ReadGenerateRequest(
      R"({"id":"7","text":"Hi","a":1,"parameters":{"b":"x","c":true,"d":0.5,"pair":[1,2],"parameters":3,"id":"in"},)"
      R"("priority":2,"sequence_id":"s","sequence_start":true})",
      GenerateModel(), kDepth);
  ASSERT_TRUE(request.has_value()) << request.error().message();
  EXPECT_EQ((*request)->id, "7");
  ASSERT_EQ((*request)->inputs.size(), 2u);
  EXPECT_EQ((*request)->inputs[1].name, "pair");
  EXPECT_EQ((*request)->priority, 2u);
  EXPECT_EQ(std::get<std::string>((*request)->sequence.id), "s");
  EXPECT_TRUE((*request)->sequence.start);
  const core::Parameters expected = {{"a", int64_t{1}}, {"b", std::string("x")},    {"c", true},
                                     {"d", 0.5},        {"parameters", int64_t{3}}, {"id", std::string("in")}};
  EXPECT_EQ((*request)->parameters, expected);
}

TEST(GenerateRequestReaderTest, WhatIsNoRequest) {
  EXPECT_NE(ErrorOf(""), "read");
  EXPECT_NE(ErrorOf("[]"), "read");
  EXPECT_NE(ErrorOf("{} x"), "read");
  EXPECT_NE(ErrorOf(R"({"id":7})"), "read");
  EXPECT_NE(ErrorOf(R"({"a":[1]})").find("parameter 'a'"), std::string::npos);
  EXPECT_NE(ErrorOf(R"({"a":null})").find("parameter 'a'"), std::string::npos);
  EXPECT_NE(ErrorOf(R"({"parameters":{"a":{"b":{}}}})").find("parameter 'a'"), std::string::npos);
  EXPECT_NE(ErrorOf(R"({"triton_x":1})").find("reserved"), std::string::npos);
  EXPECT_EQ(ErrorOf(R"({"pair":[1,2],"parameters":{"pair":[1,2]}})"),
            "Converting keyword: 'parameters': input 'pair' already exists in request");
  EXPECT_EQ(ErrorOf(R"({"pair":[1,2],"pair":[1,2]})"), "input 'pair' already exists in request");
  EXPECT_EQ(ErrorOf(R"({"parameters":{"pair":[1,2],"pair":3}})"),
            "Converting keyword: 'parameters': input 'pair' already exists in request");
  EXPECT_EQ(ErrorOf(R"({"pair":[1,2],"a":1,"a":2})"), "JSON at byte 20: repeated key 'a'");
  const std::string invalid = " has invalid type. Expected a string, a number or a boolean, got ";
  EXPECT_EQ(ErrorOf(R"({"a":{"b":1}})"), "parameter 'a'" + invalid + "an object at byte 5");
  EXPECT_EQ(ErrorOf(R"({"a":[1]})"), "parameter 'a'" + invalid + "an array at byte 5");
  EXPECT_EQ(ErrorOf(R"({"parameters":{"a":{}}})"),
            "Converting keyword: 'parameters': parameter 'a'" + invalid + "an object at byte 19");
  const std::string no_string = "input 'text': attempt to access JSON non-string as string: ";
  EXPECT_TRUE(ErrorOf(R"({"text":7})").starts_with(no_string)) << ErrorOf(R"({"text":7})");
  EXPECT_TRUE(ErrorOf(R"({"text":[true]})").starts_with(no_string)) << ErrorOf(R"({"text":[true]})");
  EXPECT_EQ(ErrorOf(R"({"pair":["x",1]})").find("non-string"), std::string::npos);
  EXPECT_NE(ErrorOf(R"({"pair":["x",1]})").find("input 'pair': attempt to access JSON non-"), std::string::npos);
  EXPECT_EQ(ErrorOf(R"({"parameters":7})"), "JSON at byte 14: Expected JSON object for keyword: 'parameters'");
  std::string many = "{";
  for (int i = 0; i < 300; ++i) many += (i > 0 ? ",\"p" : "\"p") + std::to_string(i) + "\":1";
  EXPECT_NE(ErrorOf(many + "}").find("more than 256 parameters"), std::string::npos);
}

}  // namespace
}  // namespace inferd::oip_http

#include "protocols/trtis/answer.h"

#include <google/protobuf/text_format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include "trtis/api.pb.h"

namespace inferd::trtis {
namespace {

using nvidia::inferenceserver::InferResponseHeader;

core::InferResponse Response(std::vector<float> values, int64_t batch) {
  core::InferResponse response;
  response.model_name = "m";
  core::InferTensor& tensor = response.outputs.emplace_back();
  tensor.name = "y";
  tensor.datatype = tensor::DataType::kFp32;
  tensor.shape = {batch, static_cast<int64_t>(values.size()) / batch};
  base::Buffer bytes = base::Buffer::Allocate(values.size() * sizeof(float));
  std::memcpy(bytes.data(), values.data(), bytes.size());
  tensor.data = base::BufferSlice(std::move(bytes));
  return response;
}

core::ModelSignature Signature(std::vector<std::string> labels = {}) {
  core::ModelSignature signature;
  signature.outputs.push_back(
      {.name = "y", .datatype = tensor::DataType::kFp32, .shape = {-1, 3}, .labels = std::move(labels)});
  return signature;
}

AnswerPlan Plan(uint32_t batch, std::optional<uint32_t> classes = std::nullopt) {
  AnswerPlan plan;
  plan.batch_size = batch;
  plan.outputs.push_back({.byte_size = 12, .classes = classes});
  return plan;
}

// Parses both forms with protobuf; they must agree.
InferResponseHeader Read(const Answer& answer) {
  InferResponseHeader from_text;
  InferResponseHeader from_message;
  EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(AnswerText(answer), &from_text)) << AnswerText(answer);
  EXPECT_TRUE(from_message.ParseFromString(AnswerMessage(answer)));
  EXPECT_EQ(from_text.DebugString(), from_message.DebugString());
  return from_message;
}

TEST(AnswerTest, RawOutputs) {
  const core::InferResponse response = Response({1, 2, 3, 4, 5, 6}, 2);
  const auto answer = MakeAnswer(response, Plan(2), Signature(), "7");
  ASSERT_TRUE(answer.has_value());
  EXPECT_EQ(AnswerText(*answer),
            "model_name: \"m\"\nmodel_version: 7\nbatch_size: 2\noutput {\n  name: \"y\"\n  raw {\n    byte_size: 12\n"
            "  }\n}\n");
  EXPECT_EQ(AnswerText(*answer), Read(*answer).DebugString());
}

TEST(AnswerTest, ClassesOfEachEntry) {
  const core::InferResponse response = Response({0, 2, 1, -1, -3, -2}, 2);
  const core::ModelSignature signature = Signature({"a", "b\"\n"});
  const auto answer = MakeAnswer(response, Plan(2, 2), signature, "1");
  ASSERT_TRUE(answer.has_value());
  const InferResponseHeader header = Read(*answer);
  EXPECT_EQ(AnswerText(*answer), header.DebugString());
  ASSERT_EQ(header.output(0).batch_classes_size(), 2);
  const auto& first = header.output(0).batch_classes(0);
  ASSERT_EQ(first.cls_size(), 2);
  EXPECT_EQ(first.cls(0).idx(), 1);
  EXPECT_EQ(first.cls(0).value(), 2);
  EXPECT_EQ(first.cls(0).label(), "b\"\n");
  EXPECT_EQ(first.cls(1).idx(), 2);
  EXPECT_EQ(first.cls(1).label(), "");
  EXPECT_EQ(header.output(0).batch_classes(1).cls(0).idx(), 0);
  EXPECT_FALSE(header.output(0).has_raw());
}

TEST(AnswerTest, MoreClassesThanElementsAndNone) {
  const core::InferResponse response = Response({0, 2, 1}, 1);
  EXPECT_EQ(Read(*MakeAnswer(response, Plan(1, 4'000'000'000), Signature(), "0")).output(0).batch_classes(0).cls_size(),
            3);
  const auto none = MakeAnswer(response, Plan(1, 0), Signature(), "0");
  EXPECT_EQ(AnswerText(*none), Read(*none).DebugString());
  EXPECT_EQ(Read(*none).output(0).batch_classes_size(), 1);
}

TEST(AnswerTest, ValuesThatAreNoNumbers) {
  const float infinity = std::numeric_limits<float>::infinity();
  const core::InferResponse response = Response({-infinity, -std::nanf(""), infinity}, 1);
  const auto answer = MakeAnswer(response, Plan(1, 3), Signature(), "1");
  const InferResponseHeader header = Read(*answer);
  EXPECT_EQ(header.output(0).batch_classes(0).cls(0).idx(), 2);
  EXPECT_EQ(header.output(0).batch_classes(0).cls(1).value(), -infinity);
  EXPECT_TRUE(std::isnan(header.output(0).batch_classes(0).cls(2).value()));
}

TEST(AnswerTest, MessagesHaveNoLabelThatClientsCannotRead) {
  const core::InferResponse response = Response({1, 2, 3}, 1);
  const core::ModelSignature signature = Signature({"", "", "\xff"});
  InferResponseHeader header;
  ASSERT_TRUE(header.ParseFromString(AnswerMessage(*MakeAnswer(response, Plan(1, 1), signature, "1"))));
  EXPECT_EQ(header.output(0).batch_classes(0).cls(0).label(), "\xef\xbf\xbd");
}

TEST(AnswerTest, WhatTheModelGaveIsHeldAgainstItsSignature) {
  const core::InferResponse response = Response({1, 2}, 1);
  EXPECT_EQ(MakeAnswer(response, Plan(1), Signature(), "1").error().code(), base::StatusCode::kInvalidArgument);
  AnswerPlan two = Plan(1);
  two.outputs.push_back({.byte_size = 12});
  EXPECT_EQ(MakeAnswer(response, two, Signature(), "1").error().code(), base::StatusCode::kInternal);
  const core::InferResponse good = Response({1, 2, 3}, 1);
  EXPECT_EQ(MakeAnswer(good, Plan(1), Signature(), "4294967296").error().code(), base::StatusCode::kUnimplemented);
  AnswerPlan none = Plan(1);
  none.outputs.clear();
  EXPECT_EQ(AnswerText(*MakeAnswer(response, none, Signature(), "0")), "model_name: \"m\"\nbatch_size: 1\n");
}

}  // namespace
}  // namespace inferd::trtis

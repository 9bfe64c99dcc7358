#include "protocols/trtis/infer_request.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "protocols/trtis/infer_header_text.h"

namespace inferd::trtis {
namespace {

using base::StatusCode;
using tensor::DataType;

core::ModelSignature Batched() {
  core::ModelSignature signature;
  signature.max_batch_size = 4;
  signature.inputs = {{.name = "a", .datatype = DataType::kFp32, .shape = {-1, 2}},
                      {.name = "b", .datatype = DataType::kInt8, .shape = {-1, 3}, .optional = true}};
  signature.outputs = {{.name = "x", .datatype = DataType::kFp32, .shape = {-1, 2}},
                       {.name = "h", .datatype = DataType::kFp16, .shape = {-1, 2}},
                       {.name = "s", .datatype = DataType::kBytes, .shape = {-1, 1}},
                       {.name = "v", .datatype = DataType::kFp32, .shape = {-1, -1}}};
  return signature;
}

base::Result<PlannedRequest> Plan(const std::string& text, const core::ModelSignature& signature = Batched()) {
  auto header = ReadInferHeaderText(text);
  EXPECT_TRUE(header.has_value()) << text;
  return PlanRequest(*std::move(header), signature, "m");
}

base::Status ErrorOf(const std::string& text, const core::ModelSignature& signature = Batched()) {
  const auto planned = Plan(text, signature);
  return planned.has_value() ? base::OkStatus() : planned.error();
}

base::BufferSlice Bytes(size_t size) { return base::BufferSlice(base::Buffer::CopyOf(std::string(size, 'x'))); }

constexpr char kA[] = R"( input { name: "a" byte_size: 8 } )";

TEST(PlanRequestTest, ShapesAreTheModels) {
  const auto planned = Plan(std::string("batch_size: 3") + R"( input { name: "b" byte_size: 3 })" + kA +
                            R"(output { name: "x" byte_size: 8 cls { count: 1 } })");
  ASSERT_TRUE(planned.has_value()) << planned.error().ToString();
  ASSERT_EQ(planned->request->inputs.size(), 2u);
  EXPECT_EQ(planned->request->inputs[0].name, "b");
  EXPECT_EQ(planned->request->inputs[0].shape, (tensor::Shape{3, 3}));
  EXPECT_EQ(planned->request->inputs[1].shape, (tensor::Shape{3, 2}));
  EXPECT_EQ(planned->request->inputs[1].datatype, DataType::kFp32);
  ASSERT_EQ(planned->request->outputs.size(), 1u);
  EXPECT_EQ(planned->plan.batch_size, 3u);
  EXPECT_EQ(planned->plan.outputs[0].classes, 1u);
}

TEST(PlanRequestTest, WithoutABatchTheShapesAreWhole) {
  core::ModelSignature signature;
  signature.inputs = {{.name = "a", .datatype = DataType::kFp32, .shape = {2}}};
  const auto planned = Plan(std::string("batch_size: 1") + kA, signature);
  ASSERT_TRUE(planned.has_value());
  EXPECT_EQ(planned->request->inputs[0].shape, (tensor::Shape{2}));
  EXPECT_EQ(ErrorOf(std::string("batch_size: 2") + kA, signature).code(), StatusCode::kInvalidArgument);
}

TEST(PlanRequestTest, OfAModelThatTakesOtherShapesTooTheUsualOneIsMeant) {
  core::ModelSignature signature = Batched();
  signature.inputs[0].any_shape = signature.outputs[0].any_shape = true;
  const auto planned = Plan(std::string("batch_size: 3") + kA + R"(output { name: "x" byte_size: 8 })", signature);
  ASSERT_TRUE(planned.has_value()) << planned.error().ToString();
  EXPECT_EQ(planned->request->inputs[0].shape, (tensor::Shape{3, 2}));
  signature.inputs[0].unknown_rank = true;
  EXPECT_EQ(ErrorOf(std::string("batch_size: 3") + kA, signature).code(), StatusCode::kUnimplemented);
}

TEST(PlanRequestTest, LargerRequestsAreTheSchedulersWhereItTakesThem) {
  core::ModelSignature signature = Batched();
  EXPECT_EQ(ErrorOf(std::string("batch_size: 5") + kA).message(), "unexpected batch size 5 for 'm', max allowed is 4");
  signature.splits_larger_requests = true;
  EXPECT_TRUE(ErrorOf(std::string("batch_size: 5") + kA, signature).ok());
}

TEST(PlanRequestTest, WhatTheProtocolCannotDescribe) {
  const std::string start = std::string("batch_size: 1") + kA;
  EXPECT_EQ(ErrorOf(start + R"(output { name: "v" byte_size: 8 })").code(), StatusCode::kUnimplemented);
  EXPECT_EQ(ErrorOf(start + R"(output { name: "s" byte_size: 8 })").code(), StatusCode::kUnimplemented);
  EXPECT_EQ(ErrorOf(start + R"(output { name: "s" byte_size: 8 cls { } })").message(),
            "class result not available for output 's' due to unsupported type 'TYPE_STRING'");
  EXPECT_EQ(ErrorOf(start + R"(output { name: "h" byte_size: 4 cls { count: 1 } })").message(),
            "class result not available for output 'h' due to unsupported type 'TYPE_FP16'");
  EXPECT_TRUE(ErrorOf(start + R"(output { name: "h" byte_size: 4 })").ok());
  core::ModelSignature signature = Batched();
  signature.inputs[0].ragged = true;
  EXPECT_EQ(ErrorOf(start, signature).code(), StatusCode::kUnimplemented);
  signature.inputs[0] = {.name = "a", .datatype = DataType::kComplex64, .shape = {-1, 1}};
  EXPECT_EQ(ErrorOf(start, signature).code(), StatusCode::kUnimplemented);
}

TEST(PlanRequestTest, AnEmptyOutputHasNoClasses) {
  core::ModelSignature signature = Batched();
  signature.outputs[0].shape = {-1, 0};
  const std::string start = std::string("batch_size: 1") + kA + R"(output { name: "x" )";
  EXPECT_EQ(ErrorOf(start + "cls { count: 1 } }", signature).code(), StatusCode::kInvalidArgument);
  EXPECT_TRUE(ErrorOf(start + "}", signature).ok());
}

TEST(PlanRequestTest, TensorsThatAreNotTheModels) {
  EXPECT_EQ(ErrorOf("batch_size: 0").code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(ErrorOf("batch_size: 1").message(), "expected 2 inputs but got 0: 'a' is missing");
  EXPECT_EQ(ErrorOf(std::string("batch_size: 1") + kA + kA).message(), "inference input 'a' is there twice");
  EXPECT_EQ(ErrorOf(std::string("batch_size: 1") + kA + kA + kA).message(), "expected 2 inputs but got 3");
  EXPECT_EQ(ErrorOf(std::string("batch_size: 1") + kA + R"(output { name: "x" byte_size: 9 })").code(),
            StatusCode::kInternal);
}

TEST(SetBodyTest, TensorsAreViews) {
  const auto planned = Plan(std::string("batch_size: 2") + kA + R"(input { name: "b" byte_size: 3 })");
  const base::BufferSlice body = Bytes(22);
  ASSERT_TRUE(SetBody(body, *planned->request).ok());
  EXPECT_EQ(planned->request->inputs[0].data.data(), body.data());
  EXPECT_EQ(planned->request->inputs[1].data.data(), body.data() + 16);
  EXPECT_EQ(planned->request->inputs[1].data.size(), 6u);
  EXPECT_EQ(SetBody(Bytes(23), *planned->request).code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(SetBody(Bytes(21), *planned->request), base::Internal("expected 6 of data for inference input 'b', got 5"));
  EXPECT_EQ(SetBody({}, *planned->request).code(), StatusCode::kInternal);
}

TEST(SetRawsTest, OneForEachInput) {
  const auto planned = Plan(std::string("batch_size: 2") + kA);
  const std::vector<base::BufferSlice> two = {Bytes(16), Bytes(0)};
  const std::vector<base::BufferSlice> one = {two[0]};
  const std::vector<base::BufferSlice> less = {Bytes(15)};
  ASSERT_TRUE(SetRaws(one, *planned->request).ok());
  EXPECT_EQ(planned->request->inputs[0].data.data(), one[0].data());
  EXPECT_EQ(SetRaws(two, *planned->request).code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(SetRaws(less, *planned->request).code(), StatusCode::kInternal);
  EXPECT_EQ(SetRaws({}, *planned->request), base::Internal("unexpected input index 0"));
}

}  // namespace
}  // namespace inferd::trtis

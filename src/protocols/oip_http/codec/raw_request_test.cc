#include "protocols/oip_http/codec/raw_request.h"

#include <gtest/gtest.h>

namespace inferd::oip_http {
namespace {

using tensor::DataType;

core::ModelSignature Model(DataType datatype, tensor::Shape shape, int64_t max_batch_size = 0) {
  core::ModelSignature signature;
  core::TensorSpec& spec = signature.inputs.emplace_back();
  spec.name = "x";
  spec.datatype = datatype;
  spec.shape = std::move(shape);
  signature.max_batch_size = max_batch_size;
  return signature;
}

base::Result<DecodedRequest> Read(const core::ModelSignature& signature, std::string_view body) {
  return ReadRawRequest(base::BufferSlice(base::Buffer::CopyOf(body)), signature, "m");
}

std::string Shape(const core::ModelSignature& signature, std::string_view body) {
  const auto decoded = Read(signature, body);
  return decoded.has_value() ? decoded->request->inputs[0].shape.ToString() : decoded.error().message();
}

TEST(ReadRawRequestTest, TheBodyIsTheInputWithoutACopy) {
  const base::BufferSlice body(base::Buffer::CopyOf("12345678"));
  const auto decoded = ReadRawRequest(body, Model(DataType::kFp32, {-1}), "m");
  ASSERT_TRUE(decoded.has_value());
  const core::InferTensor& input = decoded->request->inputs[0];
  EXPECT_EQ(input.name, "x");
  EXPECT_EQ(input.datatype, DataType::kFp32);
  EXPECT_EQ(input.data.data(), body.data());
  EXPECT_TRUE(decoded->forms.default_form.binary);
}

TEST(ReadRawRequestTest, OneDimensionMayVaryBesidesTheBatch) {
  EXPECT_EQ(Shape(Model(DataType::kFp32, {-1}), "12345678"), "[2]");
  EXPECT_EQ(Shape(Model(DataType::kInt8, {2, -1, 2}), "12345678"), "[2,2,2]");
  EXPECT_EQ(Shape(Model(DataType::kInt8, {-1, 8}, 4), "12345678"), "[1,8]");
  EXPECT_EQ(Shape(Model(DataType::kInt8, {-1, -1}, 4), "123"), "[1,3]");
  EXPECT_EQ(Shape(Model(DataType::kInt8, {-1}), ""), "[0]");
  for (const tensor::Shape& shape : {tensor::Shape{-1, -1}, tensor::Shape{-1, -1, -1}, tensor::Shape{-1, 2, -1}}) {
    EXPECT_TRUE(Shape(Model(DataType::kInt8, shape), "123")
                    .starts_with("The shape of the raw input 'x' can not be deduced because there are more than one "
                                 "variable-sized dimension"));
  }
  EXPECT_NE(Shape(Model(DataType::kFp32, {-1}), "123").find("multiple of 4 bytes"), std::string::npos);
  EXPECT_NE(Shape(Model(DataType::kFp32, {0, -1}), "").find("multiple of 0 bytes"), std::string::npos);
}

TEST(ReadRawRequestTest, BytesIsOneElement) {
  const auto decoded = Read(Model(DataType::kBytes, {-1, 1}, 4), std::string_view("a\0b", 3));
  ASSERT_TRUE(decoded.has_value());
  EXPECT_EQ(decoded->request->inputs[0].shape, (tensor::Shape{1, 1}));
  EXPECT_EQ(decoded->request->inputs[0].data.view(), std::string_view("\3\0\0\0a\0b", 7));
  EXPECT_NE(Shape(Model(DataType::kBytes, {2}), "a").find("needs one element"), std::string::npos);
}

TEST(ReadRawRequestTest, TritonTakesBytesOfShapeOneOnly) {
  const base::BufferSlice body(base::Buffer::CopyOf("a"));
  const auto read = [&body](const core::ModelSignature& signature) {
    const auto decoded = ReadRawRequest(body, signature, "m", true);
    return decoded.has_value() ? "" : decoded.error().message();
  };
  EXPECT_EQ(read(Model(DataType::kBytes, {1})), "");
  EXPECT_EQ(read(Model(DataType::kBytes, {-1, 1}, 4)), "");
  EXPECT_EQ(read(Model(DataType::kBytes, {-1})),
            "For BYTE datatype raw input 'x', the model must have input shape [1]");
  EXPECT_NE(read(Model(DataType::kBytes, {1, 1})), "");
  EXPECT_NE(read(Model(DataType::kBytes, {-1, -1}, 4)), "");
  EXPECT_EQ(read(Model(DataType::kInt8, {-1})), "");
}

TEST(ReadRawRequestTest, TypesThatOnlyTensorflowHasAreRefused) {
  EXPECT_EQ(Read(Model(DataType::kComplex64, {-1}), "12345678").error().code(), base::StatusCode::kUnimplemented);
}

TEST(ReadRawRequestTest, NeedsAModelWithOneInput) {
  core::ModelSignature two = Model(DataType::kInt8, {-1});
  two.inputs.push_back(two.inputs[0]);
  EXPECT_EQ(Shape(two, "1"),
            "Raw request must only have 1 input (found 1) to be deduced but got 2 inputs in 'm' model configuration");
}

}  // namespace
}  // namespace inferd::oip_http

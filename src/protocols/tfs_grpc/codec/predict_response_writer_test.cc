#include "protocols/tfs_grpc/codec/predict_response_writer.h"

#include <gtest/gtest.h>

#include <string>

#include "tfs/prediction_service.pb.h"

namespace inferd::tfs_grpc {
namespace {

using namespace std::string_literals;
using tensor::DataType;

core::InferTensor Tensor(const char* name, DataType type, const tensor::Shape& shape, std::string_view data) {
  return {.name = name,
          .datatype = type,
          .shape = shape,
          .data = base::BufferSlice(base::Buffer::CopyOf(data)),
          .parameters = {}};
}

core::InferResponse Response() {
  core::InferResponse response;
  response.model_name = "m";
  response.model_version = "3";
  response.outputs.push_back(Tensor("f", DataType::kFp32, {1, 2}, "\0\0\x80\x3f\0\0\0\x40"s));
  response.outputs.push_back(Tensor("i", DataType::kInt8, {}, "\xfe"));
  response.outputs.push_back(Tensor("s", DataType::kBytes, {2, 1}, "\1\0\0\0a\0\0\0\0"s));
  response.outputs.push_back(Tensor("none", DataType::kFp64, {0}, ""));
  return response;
}

tensorflow::serving::PredictResponse Written(bool tensor_content) {
  const auto message = WritePredictResponse(Response(), tensor_content);
  EXPECT_TRUE(message.has_value());
  std::string bytes;
  for (const base::BufferSlice& piece : *message) bytes += piece.view();
  tensorflow::serving::PredictResponse proto;
  EXPECT_TRUE(proto.ParseFromString(bytes));
  EXPECT_EQ(proto.ByteSizeLong(), bytes.size()) << "longer than need be";
  return proto;
}

TEST(PredictResponseWriterTest, OutputsStandInTheFieldsOfTheirTypes) {
  const auto proto = Written(false);
  EXPECT_EQ(proto.model_spec().ShortDebugString(),
            R"(name: "m" version { value: 3 } signature_name: "serving_default")");
  EXPECT_EQ(proto.outputs().at("f").ShortDebugString(),
            "dtype: DT_FLOAT tensor_shape { dim { size: 1 } dim { size: 2 } } float_val: 1 float_val: 2");
  EXPECT_EQ(proto.outputs().at("i").ShortDebugString(), "dtype: DT_INT8 tensor_shape { } int_val: -2");
  EXPECT_EQ(proto.outputs().at("s").ShortDebugString(),
            R"(dtype: DT_STRING tensor_shape { dim { size: 2 } dim { size: 1 } } string_val: "a" string_val: "")");
  EXPECT_EQ(proto.outputs().at("none").ShortDebugString(), "dtype: DT_DOUBLE tensor_shape { dim { } }");
}

TEST(PredictResponseWriterTest, SoDoWhatOnlyTensorflowHas) {
  core::InferResponse response;
  response.outputs.push_back(Tensor("c", DataType::kComplex64, {1}, "\0\0\x80\x3f\0\0\0\x40"s));
  response.outputs.push_back(Tensor("d", DataType::kComplex128, {0}, ""));
  response.outputs.push_back(Tensor("q", DataType::kQint16, {2}, "\xfe\xff\1\0"s));
  response.outputs.push_back(Tensor("u", DataType::kQuint8, {}, "\xfe"));
  EXPECT_EQ(BytesToEncode(response, false), 4u + 1u);
  const auto message = WritePredictResponse(std::move(response), false);
  ASSERT_TRUE(message.has_value());
  std::string bytes;
  for (const base::BufferSlice& piece : *message) bytes += piece.view();
  tensorflow::serving::PredictResponse proto;
  ASSERT_TRUE(proto.ParseFromString(bytes));
  EXPECT_EQ(proto.outputs().at("c").ShortDebugString(),
            "dtype: DT_COMPLEX64 tensor_shape { dim { size: 1 } } scomplex_val: 1 scomplex_val: 2");
  EXPECT_EQ(proto.outputs().at("d").ShortDebugString(), "dtype: DT_COMPLEX128 tensor_shape { dim { } }");
  EXPECT_EQ(proto.outputs().at("q").ShortDebugString(),
            "dtype: DT_QINT16 tensor_shape { dim { size: 2 } } int_val: -2 int_val: 1");
  EXPECT_EQ(proto.outputs().at("u").ShortDebugString(), "dtype: DT_QUINT8 tensor_shape { } int_val: 254");
}

TEST(PredictResponseWriterTest, OrAsContentButForStrings) {
  const auto proto = Written(true);
  EXPECT_EQ(proto.outputs().at("f").tensor_content(), "\0\0\x80\x3f\0\0\0\x40"s);
  EXPECT_EQ(proto.outputs().at("f").float_val_size(), 0);
  EXPECT_EQ(proto.outputs().at("i").tensor_content(), "\xfe");
  EXPECT_EQ(proto.outputs().at("s").string_val_size(), 2);
}

TEST(PredictResponseWriterTest, OnlyWhatIsEncodedByElementIsWorkForThePool) {
  EXPECT_EQ(BytesToEncode(Response(), false), 1u + 9u);
  EXPECT_EQ(BytesToEncode(Response(), true), 9u);
}

TEST(PredictResponseWriterTest, DataThatDoesNotFitIsOurFault) {
  core::InferResponse response = Response();
  response.outputs[2].data = response.outputs[2].data.Sub(0, 3);
  const auto message = WritePredictResponse(std::move(response), false);
  ASSERT_FALSE(message.has_value());
  EXPECT_EQ(message.error().code(), base::StatusCode::kInternal);
  EXPECT_TRUE(message.error().message().starts_with("output 's': "));
}

}  // namespace
}  // namespace inferd::tfs_grpc

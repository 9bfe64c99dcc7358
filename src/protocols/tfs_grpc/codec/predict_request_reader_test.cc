#include "protocols/tfs_grpc/codec/predict_request_reader.h"

#include <gtest/gtest.h>

#include <string>

#include "tfs/prediction_service.pb.h"

namespace inferd::tfs_grpc {
namespace {

using namespace std::string_literals;
using tensor::DataType;
using tensorflow::TensorProto;

constexpr uint64_t kFillMax = 64;

core::ModelSignature Signature() {
  core::ModelSignature signature;
  signature.inputs = {{.name = "a", .datatype = DataType::kInt32, .shape = {-1}},
                      {.name = "b", .datatype = DataType::kFp32, .shape = {-1}, .optional = true}};
  signature.outputs = {{.name = "y", .datatype = DataType::kInt32, .shape = {-1}}};
  return signature;
}

TensorProto Content(std::string bytes) {
  TensorProto proto;
  proto.set_dtype(tensorflow::DT_INT32);
  proto.mutable_tensor_shape()->add_dim()->set_size(static_cast<int64_t>(bytes.size() / 4));
  proto.set_tensor_content(std::move(bytes));
  return proto;
}

base::BufferSlice Message(std::string_view bytes) { return base::BufferSlice(base::Buffer::CopyOf(bytes)); }

std::string Fault(std::string_view bytes) {
  const auto request = ReadPredictRequest(Message(bytes), Signature(), kFillMax);
  if (request.has_value()) return "";
  EXPECT_EQ(request.error().code(), base::StatusCode::kInvalidArgument);
  return request.error().message();
}

TEST(PredictRequestReaderTest, InputsAreViewsInTheSignaturesOrder) {
  tensorflow::serving::PredictRequest proto;
  (*proto.mutable_inputs())["a"] = Content("1234");
  (*proto.mutable_inputs())["b"] = Content("12345678");
  (*proto.mutable_inputs())["b"].set_dtype(tensorflow::DT_FLOAT);
  proto.add_output_filter("y");
  const base::BufferSlice message = Message(proto.SerializeAsString());
  const auto request = ReadPredictRequest(message, Signature(), kFillMax);
  ASSERT_TRUE(request.has_value()) << request.error().ToString();
  ASSERT_EQ((*request)->inputs.size(), 2u);
  const core::InferTensor& a = (*request)->inputs[0];
  EXPECT_EQ(a.name, "a");
  EXPECT_EQ(a.data.view(), "1234");
  EXPECT_GE(a.data.data(), message.data());
  EXPECT_EQ((*request)->inputs[1].data.view(), "12345678");
  ASSERT_EQ((*request)->outputs.size(), 1u);
  EXPECT_EQ((*request)->outputs[0].name, "y");
}

TEST(PredictRequestReaderTest, OfAMapsEntriesTheLastCounts) {
  tensorflow::serving::PredictRequest one;
  (*one.mutable_inputs())["a"] = Content("1234");
  tensorflow::serving::PredictRequest two;
  (*two.mutable_inputs())["a"] = Content("567812345678");
  const auto request =
      ReadPredictRequest(Message(one.SerializeAsString() + two.SerializeAsString()), Signature(), kFillMax);
  ASSERT_TRUE(request.has_value());
  ASSERT_EQ((*request)->inputs.size(), 1u);
  EXPECT_EQ((*request)->inputs[0].shape.ToString(), "[3]");
}

TEST(PredictRequestReaderTest, ErrorsAreTensorflowServings) {
  tensorflow::serving::PredictRequest proto;
  EXPECT_EQ(Fault(proto.SerializeAsString()),
            "input size does not match signature: 0!=2 len({}) != len({a,b}). Sent extra: {}. Missing but required: "
            "{a}.");
  (*proto.mutable_inputs())["a"] = Content("1234");
  proto.add_output_filter("z");
  EXPECT_EQ(Fault(proto.SerializeAsString()),
            "output tensor alias not found in signature: z Outputs expected to be in the set {y}.");
  proto.set_output_filter(0, "y");
  proto.add_output_filter("y");
  EXPECT_EQ(Fault(proto.SerializeAsString()), "duplicate output tensor alias: y");
  proto.mutable_inputs()->at("a").set_tensor_content("12345");
  EXPECT_EQ(Fault(proto.SerializeAsString()),
            "tensor parsing error: a: tensor_content: expected 4 bytes for INT32 of shape [1], got 5");
  (*proto.mutable_inputs())["q"];
  EXPECT_EQ(Fault(proto.SerializeAsString()),
            "input tensor alias not found in signature: q. Inputs expected to be in the set {a,b}.");
  EXPECT_EQ(Fault("\x12\x02\x0a\x00"s),
            "input size does not match signature: 1!=2 len({}) != len({a,b}). Sent extra: {}. "
            "Missing but required: {a}.");
  EXPECT_NE(Fault("\x12\x02\x0a\x05"), "");
}

TEST(PredictRequestReaderTest, FindsWhereTheFirstTensorsBytesStand) {
  tensorflow::serving::PredictRequest proto;
  proto.mutable_model_spec()->set_name("m");
  (*proto.mutable_inputs())["a"] = Content(std::string(4096, '7'));
  const std::string bytes = proto.SerializeAsString();
  const size_t at = bytes.find("7777");
  const std::span<const std::byte> span(reinterpret_cast<const std::byte*>(bytes.data()), bytes.size());
  EXPECT_EQ(TensorBytesAt(span), at);
  EXPECT_EQ(TensorBytesAt(span.first(at + 1)), at);
  EXPECT_EQ(TensorBytesAt(span.first(at / 2)), 0u);
  EXPECT_EQ(BytesToDecode(bytes), bytes.size() - 4096);
  proto.mutable_inputs()->at("a").clear_tensor_content();
  proto.mutable_inputs()->at("a").add_int_val(1);
  const std::string typed = proto.SerializeAsString();
  EXPECT_EQ(TensorBytesAt({reinterpret_cast<const std::byte*>(typed.data()), typed.size()}), 0u);
  EXPECT_EQ(BytesToDecode(typed), typed.size());
}

}  // namespace
}  // namespace inferd::tfs_grpc

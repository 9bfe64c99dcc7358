#include "protocols/tfs/api_messages.h"

#include <gtest/gtest.h>

#include "data/tensor/bytes.h"
#include "protocols/tfs_grpc/codec/predict_request_reader.h"

// The gRPC front-end reads the written messages.

namespace inferd::tfs {
namespace {

using tensor::DataType;

base::BufferSlice Slice(std::string_view bytes) { return base::BufferSlice(base::Buffer::CopyOf(bytes)); }

core::InferTensor Packed(const std::string& name, const std::vector<std::string>& elements) {
  tensor::BytesPacker packer(0);
  for (const std::string& element : elements) EXPECT_TRUE(packer.Append(element).ok());
  core::InferTensor packed;
  packed.name = name;
  packed.datatype = DataType::kBytes;
  packed.shape = {static_cast<int64_t>(elements.size())};
  packed.data = base::BufferSlice(packer.Take());
  return packed;
}

TEST(ApiMessagesTest, PredictRequestsComeBack) {
  core::InferTensor x;
  x.name = "x";
  x.datatype = DataType::kInt16;
  x.shape = {1, 2};
  x.data = Slice(std::string_view("\x01\x00\xfe\xff", 4));
  const std::vector<core::InferTensor> inputs = {x, Packed("s", {"a", "", std::string("\0b", 2)})};
  const std::string message = PredictRequestMessage(ModelSpecMessage("m", "", "serving_default"), inputs);
  const core::ModelSignature signature{.inputs = {{.name = "s", .datatype = DataType::kBytes, .shape = {-1}},
                                                  {.name = "x", .datatype = DataType::kInt16, .shape = {-1, 2}}},
                                       .outputs = {}};
  const auto read = tfs_grpc::ReadPredictRequest(Slice(message), signature, 1 << 20);
  ASSERT_TRUE(read.has_value()) << read.error().ToString();
  ASSERT_EQ((*read)->inputs.size(), 2u);
  for (const core::InferTensor& input : (*read)->inputs) {
    const core::InferTensor& sent = input.name == "x" ? inputs[0] : inputs[1];
    EXPECT_EQ(input.datatype, sent.datatype);
    EXPECT_EQ(input.shape, sent.shape);
    EXPECT_EQ(input.data.view(), sent.data.view());
  }
}

TEST(ApiMessagesTest, ExamplesComeBack) {
  const core::InferTensor examples = Packed("examples", {"\x0a", ""});
  const std::string message = ExamplesRequestMessage(ModelSpecMessage("m", "", "s"), examples);
  EXPECT_EQ(message, std::string("\x0a\x06\x0a\x01m\x1a\x01s\x12\x07\x0a\x05\x0a\x01\x0a\x0a\x00", 17));
}

TEST(ApiMessagesTest, ResultsOfBothKinds) {
  core::InferResponse response;
  core::InferTensor scores;
  scores.name = "scores";
  scores.datatype = DataType::kFp32;
  scores.shape = {1, 2};
  scores.data = Slice(std::string_view("\0\0\x80\x3f\0\0\0\x40", 8));
  response.outputs = {scores};
  core::ModelSignature signature{
      .inputs = {},
      .outputs = {{.name = "scores", .datatype = DataType::kFp32, .shape = {-1, 2}, .labels = {"a", "b"}}}};
  const std::string spec = ModelSpecMessage("m", "3", "s");
  EXPECT_EQ(spec, std::string("\x0a\x01m\x12\x02\x08\x03\x1a\x01s"));
  const std::string classes = std::string(
      "\x0a\x08\x0a\x01"
      "a\x15\0\0\x80\x3f\x0a\x08\x0a\x01"
      "b\x15\0\0\0\x40",
      20);
  EXPECT_EQ(ClassificationResponseMessage(spec, response, signature).value(),
            std::string("\x0a\x16\x0a\x14", 4) + classes + "\x12\x0a" + spec);
  response.outputs[0].shape = {2};
  signature.outputs[0].shape = {-1};
  EXPECT_EQ(RegressionResponseMessage(spec, response, signature).value(),
            std::string("\x0a\x0e\x0a\x05\x0d\0\0\x80\x3f\x0a\x05\x0d\0\0\0\x40", 16) + "\x12\x0a" + spec);
  response.outputs[0].shape = {1, 2};
  EXPECT_FALSE(RegressionResponseMessage(spec, response, signature).has_value());
}

}  // namespace
}  // namespace inferd::tfs

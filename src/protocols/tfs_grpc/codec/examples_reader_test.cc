#include "protocols/tfs_grpc/codec/examples_reader.h"

#include <gtest/gtest.h>

#include <string>

#include "data/tensor/bytes.h"
#include "protocols/tfs/signature_method.h"
#include "tfs/prediction_service.pb.h"

namespace inferd::tfs_grpc {
namespace {

using tensor::DataType;
using tensorflow::Example;
using tensorflow::serving::ClassificationRequest;

constexpr uint64_t kContextMax = 64;

core::ModelSignature Signature(DataType type, const tensor::Shape& shape, const char* name = "x") {
  core::ModelSignature signature;
  signature.inputs = {{.name = name, .datatype = type, .shape = shape}};
  return signature;
}

Example Integers(const char* name, std::initializer_list<int64_t> values) {
  Example example;
  auto& list = *(*example.mutable_features()->mutable_feature())[name].mutable_int64_list();
  for (const int64_t value : values) list.add_value(value);
  return example;
}

// Returns "[2,1] <bytes>", or the error.
std::string Read(const std::string& message, const core::ModelSignature& signature) {
  const auto request = ReadExamples(message, signature, kContextMax);
  if (!request.has_value()) return request.error().message();
  const core::InferTensor& input = (*request)->inputs.at(0);
  std::string text = input.shape.ToString();
  for (const std::byte element : input.data.bytes()) {
    if (input.datatype == DataType::kInt8) text += " " + std::to_string(static_cast<int8_t>(element));
  }
  return text;
}
std::string Read(const ClassificationRequest& message, const core::ModelSignature& signature) {
  return Read(message.SerializeAsString(), signature);
}

TEST(ExamplesReaderTest, ExamplesAreRows) {
  ClassificationRequest request;
  *request.mutable_input()->mutable_example_list()->add_examples() = Integers("x", {1, 2});
  *request.mutable_input()->mutable_example_list()->add_examples() = Integers("x", {3, -4});
  EXPECT_EQ(Read(request, Signature(DataType::kInt8, {-1, 2})), "[2,2] 1 2 3 -4");
}

TEST(ExamplesReaderTest, AContextIsShared) {
  ClassificationRequest request;
  auto& list = *request.mutable_input()->mutable_example_list_with_context();
  *list.mutable_context() = Integers("x", {5, 6});
  for (int i = 0; i < 3; ++i) *list.add_examples() = Integers("other", {i});
  EXPECT_EQ(Read(request, Signature(DataType::kInt8, {-1, 2})), "[3,2] 5 6 5 6 5 6");
  for (int i = 0; i < 30; ++i) list.add_examples();
  EXPECT_NE(Read(request, Signature(DataType::kInt8, {-1, 2})).find("is more than 64 bytes"), std::string::npos);
}

TEST(ExamplesReaderTest, OfSeveralFeaturesOfANameTheLastCounts) {
  ClassificationRequest request;
  Example& example = *request.mutable_input()->mutable_example_list()->add_examples();
  example = Integers("x", {1, 2});
  Example merged;
  ASSERT_TRUE(merged.ParseFromString(example.SerializeAsString() + Integers("x", {3, 4}).SerializeAsString()));
  const std::string features = example.SerializeAsString() + Integers("x", {3, 4}).SerializeAsString();
  const auto field = [](char tag, const std::string& bytes) {
    return std::string{tag, static_cast<char>(bytes.size())} + bytes;
  };
  EXPECT_EQ(Read(field('\x12', field('\x0a', field('\x0a', features))), Signature(DataType::kInt8, {-1, 2})),
            "[1,2] 3 4");
}

TEST(ExamplesReaderTest, TheLastKindOfListCounts) {
  ClassificationRequest plain;
  *plain.mutable_input()->mutable_example_list()->add_examples() = Integers("x", {1, 2});
  ClassificationRequest context;
  *context.mutable_input()->mutable_example_list_with_context()->add_examples() = Integers("x", {3, 4});
  const auto signature = Signature(DataType::kInt8, {-1, 2});
  EXPECT_EQ(Read(plain.SerializeAsString() + context.SerializeAsString(), signature), "[1,2] 3 4");
  EXPECT_EQ(Read(plain.SerializeAsString() + plain.SerializeAsString(), signature), "[2,2] 1 2 1 2");
}

TEST(ExamplesReaderTest, ModelsThatParseExamplesTakeThemWhole) {
  ClassificationRequest request;
  auto& list = *request.mutable_input()->mutable_example_list_with_context();
  *list.mutable_context() = Integers("a", {1});
  *list.add_examples() = Integers("b", {2});
  list.add_examples();
  core::ModelSignature signature = Signature(DataType::kBytes, {-1}, "serialized");
  signature.method_name = tfs::kClassifyMethod;
  const auto read = ReadExamples(request.SerializeAsString(), signature, kContextMax);
  ASSERT_TRUE(read.has_value()) << read.error().ToString();
  const core::InferTensor& input = (*read)->inputs.at(0);
  EXPECT_EQ(input.shape.ToString(), "[2]");
  std::vector<Example> examples;
  for (const std::string_view element : tensor::PackedElements(input.data.bytes())) {
    ASSERT_TRUE(examples.emplace_back().ParseFromString(std::string(element)));
  }
  ASSERT_EQ(examples.size(), 2u);
  EXPECT_EQ(examples[0].features().feature_size(), 2) << "the context's and its own";
  EXPECT_EQ(examples[1].features().feature_size(), 1);
  for (int i = 0; i < 30; ++i) list.add_examples();
  EXPECT_EQ(ReadExamples(request.SerializeAsString(), signature, kContextMax).error().code(),
            base::StatusCode::kResourceExhausted);
}

TEST(ExamplesReaderTest, AFeatureOfTheInputsNameIsItsText) {
  ClassificationRequest request;
  Example& example = *request.mutable_input()->mutable_example_list()->add_examples();
  (*example.mutable_features()->mutable_feature())["x"].mutable_bytes_list()->add_value("hello");
  const auto read = ReadExamples(request.SerializeAsString(), Signature(DataType::kBytes, {-1}), kContextMax);
  ASSERT_TRUE(read.has_value()) << read.error().ToString();
  EXPECT_EQ((*read)->inputs.at(0).data.view().substr(4), "hello");
}

TEST(ExamplesReaderTest, SaysWhatIsWrong) {
  const auto signature = Signature(DataType::kInt8, {-1, 2});
  ClassificationRequest request;
  EXPECT_EQ(Read(request, signature), "Input is empty.");
  request.mutable_input()->mutable_example_list();
  EXPECT_EQ(Read(request, signature), "Input is empty.");
  request.mutable_input()->mutable_example_list()->add_examples();
  EXPECT_EQ(Read(request, signature), "Feature: x (data type: int8) is required but could not be found.");
  *request.mutable_input()->mutable_example_list()->mutable_examples(0) = Integers("x", {1});
  EXPECT_NE(Read(request, signature).find("Number of values != expected"), std::string::npos);
  *request.mutable_input()->mutable_example_list()->mutable_examples(0) = Integers("x", {1, 300});
  EXPECT_EQ(Read(request, signature), "Key: x.  Value 300 is not of expected type: int8");
  const std::string bytes = request.SerializeAsString();
  for (size_t size = 0; size < bytes.size(); ++size) {
    EXPECT_EQ(ReadExamples(bytes.substr(0, size), signature, kContextMax).error().code(),
              base::StatusCode::kInvalidArgument);
  }
}

}  // namespace
}  // namespace inferd::tfs_grpc

#include "protocols/tfs/serialized_examples.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "data/tensor/bytes.h"
#include "protocols/tfs/example_columns.h"
#include "protocols/tfs/signature_method.h"

namespace inferd::tfs {
namespace {

using ::testing::ElementsAre;

core::ModelSignature OneInput(std::string name, tensor::DataType datatype, std::string_view method) {
  core::ModelSignature signature;
  signature.method_name = method;
  signature.inputs = {{.name = std::move(name), .datatype = datatype, .shape = {-1}}};
  return signature;
}

std::vector<std::string> Elements(const core::InferTensor& tensor) {
  std::vector<std::string> elements;
  for (const std::string_view element : tensor::PackedElements(tensor.data.bytes())) elements.emplace_back(element);
  return elements;
}

TEST(SerializedExamplesTest, WhichModelsTakeThem) {
  using enum tensor::DataType;
  for (const std::string_view method : {kClassifyMethod, kRegressMethod}) {
    EXPECT_TRUE(TakesSerialized(OneInput("inputs", kBytes, method)));
    EXPECT_TRUE(TakesSerialized(OneInput("serialized", kBytes, method)));
    EXPECT_FALSE(TakesSerialized(OneInput("inputs", kFp32, method)));
  }
  EXPECT_TRUE(TakesSerialized(OneInput("inputs", kBytes, kPredictMethod)));
  EXPECT_TRUE(TakesSerialized(OneInput("examples", kBytes, kPredictMethod)));
  EXPECT_FALSE(TakesSerialized(OneInput("text", kBytes, kPredictMethod)));
  EXPECT_FALSE(TakesSerialized(OneInput("inputs", kBytes, ""))) << "no model of TensorFlow's";
  core::ModelSignature two = OneInput("inputs", kBytes, kClassifyMethod);
  two.inputs.push_back(two.inputs.front());
  EXPECT_FALSE(TakesSerialized(two));
}

// The bytes are those of TensorFlow's tf.train.Example.
TEST(SerializedExamplesTest, EachIsAMessageWithTheContextsFeatures) {
  Feature real;
  real.kind = Feature::Kind::kFloat;
  real.reals = {1.0, -2.0};
  Feature integer;
  integer.kind = Feature::Kind::kInt64;
  integer.integers = {-1, 300};
  Feature text;
  text.kind = Feature::Kind::kBytes;
  text.texts = {"a", std::string("\0b", 2)};
  const core::ModelSignature signature = OneInput("inputs", tensor::DataType::kBytes, kClassifyMethod);
  ExampleColumns columns(signature);
  EXPECT_TRUE(columns.Add(ExampleColumns::Part::kContext, "c", integer).ok());
  columns.CountExample();
  EXPECT_TRUE(columns.Add(ExampleColumns::Part::kExample, "x", real).ok());
  columns.CountExample();
  EXPECT_TRUE(columns.Add(ExampleColumns::Part::kExample, "t", text).ok());
  EXPECT_TRUE(columns.Add(ExampleColumns::Part::kExample, "e", Feature()).ok());
  core::InferRequest request;
  ASSERT_TRUE(columns.Take(1024, request).ok());
  ASSERT_EQ(request.inputs.size(), 1u);
  EXPECT_EQ(request.inputs[0].name, "inputs");
  EXPECT_EQ(request.inputs[0].shape, (tensor::Shape{2}));
  const std::string context =
      std::string("\x0a\x15\x0a\x01") + "c\x12\x10\x1a\x0e\x0a\x0c" + std::string(9, '\xff') + "\x01\xac\x02";
  const std::string x =
      std::string("\x0a\x11\x0a\x01") + "x\x12\x0c\x12\x0a\x0a\x08" + std::string("\0\0\x80\x3f\0\0\0\xc0", 8);
  const std::string t =
      std::string("\x0a\x0e\x0a\x01") + "t\x12\x09\x0a\x07\x0a\x01" + "a\x0a\x02" + std::string("\0b", 2);
  const std::string e = std::string("\x0a\x05\x0a\x01") + "e\x12" + std::string(1, '\0');
  const auto whole = [&](const std::string& features) {
    return "\x0a" + std::string(1, static_cast<char>(features.size())) + features;
  };
  EXPECT_THAT(Elements(request.inputs[0]), ElementsAre(whole(context + x), whole(context + t + e)));
  EXPECT_EQ(columns.Take(64, request).code(), base::StatusCode::kResourceExhausted);
}

}  // namespace
}  // namespace inferd::tfs

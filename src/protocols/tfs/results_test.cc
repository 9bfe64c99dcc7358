#include "protocols/tfs/results.h"

#include <gtest/gtest.h>

#include <cstring>
#include <limits>

namespace inferd::tfs {
namespace {

using tensor::DataType;

template <typename T>
core::InferTensor Numbers(const char* name, DataType type, const tensor::Shape& shape, const std::vector<T>& values) {
  base::Buffer data = base::Buffer::Allocate(values.size() * sizeof(T));
  std::memcpy(data.data(), values.data(), data.size());
  return {.name = name, .datatype = type, .shape = shape, .data = base::BufferSlice(data), .parameters = {}};
}

const core::TensorSpec kScores{.name = "s", .datatype = DataType::kFp32, .shape = {-1, 2}, .labels = {"cat"}};

TEST(ResultsTest, ClassesComeInTheModelsOrder) {
  const core::ModelSignature signature{.inputs = {}, .outputs = {kScores}};
  core::InferResponse response;
  response.outputs.push_back(Numbers<float>("s", DataType::kFp32, {2, 2}, {0.25f, 0.75f, 1, 0}));
  const auto classes = FindClasses(response, signature, 2);
  ASSERT_TRUE(classes.has_value());
  ClassCursor cursor(*classes);
  std::string text;
  for (size_t i = 0; i < classes->rows * classes->classes; ++i) {
    const auto [label, score] = cursor.Next();
    text.append(label).append(" ").append(std::to_string(score).substr(0, 4)).append(";");
  }
  EXPECT_EQ(text, "cat 0.25; 0.75;cat 1.00; 0.00;");
}

TEST(ResultsTest, WhatTheModelDidNotGiveIsOurFault) {
  const core::ModelSignature signature{.inputs = {}, .outputs = {kScores}};
  EXPECT_EQ(FindClasses({}, signature, 1).error().code(), base::StatusCode::kInternal);
  EXPECT_EQ(FindValues({}, signature, 1).error().code(), base::StatusCode::kInternal);
}

core::InferResponse Of(std::vector<core::InferTensor> outputs) {
  core::InferResponse response;
  response.outputs = std::move(outputs);
  return response;
}

TEST(ResultsTest, ClassesAreARowForEachExample) {
  const core::TensorSpec labels{.name = "classes", .datatype = DataType::kBytes, .shape = {-1, -1}};
  const core::ModelSignature signature{.inputs = {}, .outputs = {labels, kScores}};
  const auto scores = [](const tensor::Shape& shape) {
    return Numbers<float>("s", DataType::kFp32, shape, std::vector<float>(static_cast<size_t>(*shape.ElementCount())));
  };
  const auto classes = [](const tensor::Shape& shape) {
    return Numbers<uint32_t>("classes", DataType::kBytes, shape,
                             std::vector<uint32_t>(static_cast<size_t>(*shape.ElementCount())));
  };
  const auto error = [&](const tensor::Shape& label_shape, const tensor::Shape& score_shape, int64_t examples) {
    const auto found = FindClasses(Of({classes(label_shape), scores(score_shape)}), signature, examples);
    return found.has_value() ? base::Status() : found.error();
  };
  EXPECT_TRUE(error({2, 3}, {2, 3}, 2).ok());
  EXPECT_EQ(error({2}, {2, 3}, 2),
            base::InvalidArgument("Expected Tensor shape: [batch_size num_classes] but got [2]"));
  EXPECT_EQ(error({2, 3}, {6}, 2),
            base::InvalidArgument("Expected Tensor shape: [batch_size num_classes] but got [6]"));
  EXPECT_EQ(error({1, 3}, {2, 3}, 2), base::InvalidArgument("Expected classes output batch size of 2. Got: 1"));
  EXPECT_EQ(error({2, 3}, {3, 3}, 2), base::InvalidArgument("Expected scores output batch size of 2. Got: 3"));
  EXPECT_EQ(error({2, 3}, {2, 2}, 2),
            base::InvalidArgument("Tensors class and score should match in dim_size(1). Got 3 vs. 2"));
  const auto unknown = FindClasses(Of({classes({1, 3}), scores({2, 3})}), signature, std::nullopt);
  EXPECT_EQ(unknown.error().message(), "Expected scores output batch size of 1. Got: 2");
}

TEST(ResultsTest, ValuesAreOneForEachExample) {
  const core::ModelSignature signature{
      .inputs = {},
      .outputs = {{.name = "y", .datatype = DataType::kFp32, .shape = {}, .any_shape = true, .unknown_rank = true}}};
  const auto error = [&](const tensor::Shape& shape, int64_t examples) {
    const std::vector<float> values(static_cast<size_t>(*shape.ElementCount()));
    const auto found = FindValues(Of({Numbers<float>("y", DataType::kFp32, shape, values)}), signature, examples);
    return found.has_value() ? base::Status() : found.error();
  };
  EXPECT_TRUE(error({2}, 2).ok());
  EXPECT_TRUE(error({2, 1}, 2).ok());
  EXPECT_EQ(error({2, 2}, 2), base::InvalidArgument("Expected output Tensor shape to be either [batch_size] or "
                                                    "[batch_size, 1] but got [2,2]"));
  EXPECT_EQ(error({}, 1), base::InvalidArgument("Expected output Tensor shape to be either [batch_size] or "
                                                "[batch_size, 1] but got []"));
  EXPECT_EQ(error({3}, 2), base::InvalidArgument("Input batch size did not match output batch size: 2 vs. 3"));
}

TEST(ResultsTest, ARequestHasARowOfEachExample) {
  core::InferRequest request;
  EXPECT_EQ(CountExamples(request), std::nullopt);
  request.inputs.push_back(Numbers<float>("x", DataType::kFp32, {2, 1}, {1, 2}));
  EXPECT_EQ(CountExamples(request), 2);
}

TEST(ResultsTest, ADoubleBeyondAFloatIsInfinite) {
  const auto values = Numbers<double>("y", DataType::kFp64, {3}, {1e300, -1e300, 0.5});
  EXPECT_EQ(ValueAt(values, 0), std::numeric_limits<float>::infinity());
  EXPECT_EQ(ValueAt(values, 1), -std::numeric_limits<float>::infinity());
  EXPECT_EQ(ValueAt(values, 2), 0.5f);
}

TEST(ResultsTest, WhatAModelIsIsSaidByItsOutputs) {
  EXPECT_TRUE(CheckClassifier({.inputs = {}, .outputs = {kScores}}).ok());
  EXPECT_EQ(CheckRegressor({.inputs = {}, .outputs = {kScores}}).code(), base::StatusCode::kInvalidArgument);
  core::TensorSpec scalar{.name = "y", .datatype = DataType::kFp32, .shape = {}, .any_shape = true};
  EXPECT_EQ(
      CheckRegressor({.inputs = {}, .outputs = {scalar}}),
      base::InvalidArgument("No regression outputs found in SignatureDef: expected \"outputs\", or else just one of "
                            "floats, of shape [batch_size] or [batch_size, 1]. Signature was: y: DT_FLOAT []"));
  EXPECT_EQ(
      CheckClassifier({.inputs = {}, .outputs = {scalar}}),
      base::InvalidArgument(
          "Expected classification signature outputs to contain at least one of \"classes\" or \"scores\", or else "
          "just one of strings or of floats, of shape [batch_size num_classes]. Signature was: y: DT_FLOAT []"));
  scalar.unknown_rank = true;
  EXPECT_TRUE(CheckRegressor({.inputs = {}, .outputs = {scalar}}).ok());
}

TEST(ResultsTest, ByItsNameAnOutputIsChosenWhateverItIs) {
  const auto named = [](const char* name, DataType type, const tensor::Shape& shape) {
    return core::ModelSignature{.inputs = {}, .outputs = {{.name = name, .datatype = type, .shape = shape}}};
  };
  EXPECT_EQ(CheckClassifier(named("scores", DataType::kInt64, {-1, 2})),
            base::InvalidArgument("Expected scores Tensor of DT_FLOAT. Got: DT_INT64"));
  EXPECT_EQ(CheckClassifier(named("classes", DataType::kFp32, {-1, 2})),
            base::InvalidArgument("Expected classes Tensor of DT_STRING. Got: DT_FLOAT"));
  EXPECT_EQ(CheckRegressor(named("outputs", DataType::kInt32, {-1})),
            base::InvalidArgument("Expected output Tensor of DT_FLOAT.  Got: DT_INT32"));
  const core::ModelSignature flat = named("scores", DataType::kFp32, {-1});
  EXPECT_TRUE(CheckClassifier(flat).ok()) << "what it gives says what is wrong with it";
  EXPECT_EQ(FindClasses(Of({Numbers<float>("scores", DataType::kFp32, {2}, {1, 2})}), flat, 2).error().message(),
            "Expected Tensor shape: [batch_size num_classes] but got [2]");
  const core::ModelSignature wide = named("outputs", DataType::kFp32, {-1, 2});
  EXPECT_TRUE(CheckRegressor(wide).ok());
  EXPECT_EQ(FindValues(Of({Numbers<float>("outputs", DataType::kFp32, {1, 2}, {1, 2})}), wide, 1).error().message(),
            "Expected output Tensor shape to be either [batch_size] or [batch_size, 1] but got [1,2]");
}

}  // namespace
}  // namespace inferd::tfs

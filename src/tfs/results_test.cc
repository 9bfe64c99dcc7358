#include "tfs/results.h"

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
  const auto classes = FindClasses(response, signature);
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
  EXPECT_EQ(FindClasses({}, signature).error().code(), base::StatusCode::kInternal);
  EXPECT_EQ(FindValues({}, signature).error().code(), base::StatusCode::kInternal);
  core::InferResponse flat;
  flat.outputs.push_back(Numbers<float>("s", DataType::kFp32, {2}, {1, 2}));
  EXPECT_EQ(FindClasses(flat, signature).error().code(), base::StatusCode::kInternal);
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
}

}  // namespace
}  // namespace inferd::tfs

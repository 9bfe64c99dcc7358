#include "protocols/tfs/feature.h"

#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

#include "data/tensor/bytes.h"
#include "protocols/tfs_http/codec/feature_reader.h"

namespace inferd::tfs {
namespace {

using core::TensorSpec;
using tensor::DataType;

TensorSpec Spec(DataType type, const tensor::Shape& shape) { return {.name = "f", .datatype = type, .shape = shape}; }

base::Status Read(Feature& feature, std::string_view json) {
  json::Reader reader(json, {.nonfinite_tokens = true});
  return tfs_http::ReadFeature(reader, "f", tensorjson::ValueRules::kStrict, feature);
}

// Adds one feature after the other. Returns "[2,1] 1 2", or the error.
std::string Column(const TensorSpec& spec, const std::vector<std::string>& features) {
  FeatureColumn column(spec);
  Feature feature;
  for (const std::string& json : features) {
    base::Status status = Read(feature, json);
    if (status.ok()) status = column.Add(feature);
    if (!status.ok()) return status.message();
  }
  const auto tensor = column.Take();
  if (!tensor.has_value()) return tensor.error().message();
  std::string text = tensor->shape.ToString();
  if (spec.datatype == DataType::kBytes) {
    for (const std::string_view element : tensor::PackedElements(tensor->data.bytes()))
      text.append(" ").append(element);
    return text;
  }
  const size_t size = tensor::ElementSize(spec.datatype);
  for (size_t i = 0; i < tensor->data.size(); i += size) {
    float real = 0;
    int64_t integer = 0;
    std::memcpy(&real, tensor->data.data() + i, std::min(size, sizeof real));
    std::memcpy(&integer, tensor->data.data() + i, size);
    text += " " + (spec.datatype == DataType::kFp32 ? std::to_string(real).substr(0, 4) : std::to_string(integer));
  }
  return text;
}

TEST(FeatureColumnTest, FeaturesAreNoComplexOrQuantizedNumbers) {
  EXPECT_EQ(Column(Spec(DataType::kComplex64, {-1}), {"1.5"}),
            "Key: f.  Data types don't match. Data type: float but expected type: complex64");
  EXPECT_EQ(Column(Spec(DataType::kQint8, {-1}), {"1"}),
            "Key: f.  Data types don't match. Data type: int64 but expected type: qint8");
}

TEST(FeatureColumnTest, RowsAreExamples) {
  EXPECT_EQ(Column(Spec(DataType::kFp32, {-1, 2}), {"[1.5, 2.5]", "[3, 4]"}), "[2,2] 1.50 2.50 3.00 4.00");
  EXPECT_EQ(Column(Spec(DataType::kInt64, {-1}), {"1", "[2]", "true"}), "[3] 1 2 1");
  EXPECT_EQ(Column(Spec(DataType::kInt32, {-1, 1}), {"7"}), "[1,1] 7");
  EXPECT_EQ(Column(Spec(DataType::kBytes, {-1, -1}), {R"(["a", "b"])"}), "[1,2] a b");
  EXPECT_EQ(Column(Spec(DataType::kUint8, {-1, 2, -1}), {"[1, 2, 3, 4]"}), "[1,2,2] 1 2 3 4");
  EXPECT_EQ(Column(Spec(DataType::kFp16, {-1}), {"1"}), "[1] 15360");
  EXPECT_EQ(Column(Spec(DataType::kBf16, {-1}), {"1.0"}), "[1] 16256");
  EXPECT_EQ(Column(Spec(DataType::kBool, {-1}), {"true", "0"}), "[2] 1 0");
}

TEST(FeatureColumnTest, OnlyWhatTheInputTakes) {
  EXPECT_EQ(Column(Spec(DataType::kInt64, {-1}), {"1.5"}),
            "Key: f.  Data types don't match. Data type: float but expected type: int64");
  EXPECT_EQ(Column(Spec(DataType::kBytes, {-1}), {"1"}),
            "Key: f.  Data types don't match. Data type: int64 but expected type: string");
  EXPECT_EQ(Column(Spec(DataType::kFp32, {-1}), {"\"a\""}),
            "Key: f.  Data types don't match. Data type: bytes but expected type: float");
  EXPECT_EQ(Column(Spec(DataType::kInt8, {-1}), {"300"}), "Key: f.  Value 300 is not of expected type: int8");
  EXPECT_EQ(Column(Spec(DataType::kBool, {-1}), {"2"}), "Key: f.  Value 2 is not of expected type: bool");
  EXPECT_EQ(Column(Spec(DataType::kUint64, {-1}), {"-1"}), "Key: f.  Value -1 is not of expected type: uint64");
  EXPECT_TRUE(Column(Spec(DataType::kFp32, {-1}), {"1e39"}).ends_with(" is not of expected type: float"));
  EXPECT_TRUE(Column(Spec(DataType::kFp16, {-1}), {"65520.0"}).ends_with(" is not of expected type: half"));
  EXPECT_TRUE(Column(Spec(DataType::kFp16, {-1}), {"100000"}).ends_with(" is not of expected type: half"));
  EXPECT_EQ(Column(Spec(DataType::kFp32, {-1}), {"Infinity"}), "[1] inf");
  EXPECT_EQ(Column(Spec(DataType::kFp32, {-1}), {"[]"}),
            "Feature: f (data type: float) is required but could not be found.");
}

TEST(FeatureColumnTest, AsManyValuesAsARowHas) {
  EXPECT_EQ(Column(Spec(DataType::kFp32, {-1, 3}), {"[1, 2]"}),
            "Key: f.  Number of values != expected.  values size: 2 but output shape: [3]");
  EXPECT_EQ(Column(Spec(DataType::kFp32, {-1}), {"[1, 2]"}),
            "Key: f.  Number of values != expected.  values size: 2 but output shape: []");
  EXPECT_EQ(Column(Spec(DataType::kFp32, {-1, -1}), {"[1, 2]", "[3]"}),
            "Key: f.  Number of values != expected.  values size: 1 but the first example has 2");
  EXPECT_EQ(Column(Spec(DataType::kFp32, {-1, -1, -1}), {"[1, 2]"}),
            "input 'f' of shape [-1,-1,-1] cannot be filled from a flat list");
  EXPECT_EQ(Column(Spec(DataType::kFp32, {-1, 2, -1}), {"[1, 2, 3]"}),
            "Key: f.  Number of values != expected.  values size: 3 but output shape: [2,-1]");
  EXPECT_EQ(Column(Spec(DataType::kFp32, {-1, 0}), {"1.0"}),
            "Key: f.  Number of values != expected.  values size: 1 but output shape: [0]");
}

TEST(FeatureColumnTest, AContextStandsForEveryExample) {
  const TensorSpec spec = Spec(DataType::kInt32, {-1, 2});
  FeatureColumn column(spec);
  Feature feature;
  ASSERT_TRUE(Read(feature, "[1, 2]").ok());
  ASSERT_TRUE(column.Add(feature).ok());
  EXPECT_EQ(column.Repeat(1000, 100).code(), base::StatusCode::kResourceExhausted);
  FeatureColumn again(spec);
  ASSERT_TRUE(again.Add(feature).ok());
  ASSERT_TRUE(again.Repeat(3, 100).ok());
  const auto tensor = again.Take();
  ASSERT_TRUE(tensor.has_value());
  EXPECT_EQ(tensor->shape.ToString(), "[3,2]");
  EXPECT_EQ(tensor->data.size(), 24u);
}

}  // namespace
}  // namespace inferd::tfs

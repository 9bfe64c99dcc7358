#include "data/tensor/data_type.h"

#include <gtest/gtest.h>

#include <iterator>
#include <tuple>

namespace inferd::tensor {
namespace {

// Predict V2, "Tensor Data Types", and BF16.
TEST(DataTypeTest, NamesAndSizes) {
  const std::pair<const char*, size_t> rows[] = {{"BOOL", 1}, {"UINT8", 1}, {"UINT16", 2}, {"UINT32", 4}, {"UINT64", 8},
                                                 {"INT8", 1}, {"INT16", 2}, {"INT32", 4},  {"INT64", 8},  {"FP16", 2},
                                                 {"FP32", 4}, {"FP64", 8},  {"BYTES", 0},  {"BF16", 2}};
  for (const auto& [name, size] : rows) {
    const std::optional<DataType> type = ParseDataType(name);
    ASSERT_TRUE(type.has_value()) << name;
    EXPECT_EQ(DataTypeName(*type), name);
    EXPECT_EQ(ElementSize(*type), size) << name;
  }
}

// TensorFlow's additional types have names for messages, which clients of Predict V2 may not send.
TEST(DataTypeTest, OthersAreTensorflows) {
  const std::tuple<DataType, const char*, size_t> rows[] = {
      {DataType::kComplex64, "COMPLEX64", 8}, {DataType::kComplex128, "COMPLEX128", 16},
      {DataType::kQint8, "QINT8", 1},         {DataType::kQuint8, "QUINT8", 1},
      {DataType::kQint16, "QINT16", 2},       {DataType::kQuint16, "QUINT16", 2},
      {DataType::kQint32, "QINT32", 4}};
  for (const auto& [type, name, size] : rows) {
    EXPECT_EQ(DataTypeName(type), name);
    EXPECT_EQ(ElementSize(type), size) << name;
    EXPECT_EQ(ParseDataType(name), std::nullopt) << name;
    EXPECT_FALSE(IsPredictV2(type)) << name;
  }
  EXPECT_EQ(std::size(rows), static_cast<size_t>(kLastDataType) - static_cast<size_t>(DataType::kBf16));
  EXPECT_TRUE(IsPredictV2(DataType::kBool) && IsPredictV2(DataType::kBf16));
  EXPECT_FALSE(IsPredictV2(DataType::kInvalid));
}

TEST(DataTypeTest, RefusesOtherNames) {
  for (const char* name : {"", "fp32", "FP32 ", "INVALID", "STRING", "TYPE_FP32", "FP8"}) {
    EXPECT_EQ(ParseDataType(name), std::nullopt) << name;
  }
}

}  // namespace
}  // namespace inferd::tensor

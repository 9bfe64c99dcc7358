#include "tensor/data_type.h"

#include <gtest/gtest.h>

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

TEST(DataTypeTest, RefusesOtherNames) {
  for (const char* name : {"", "fp32", "FP32 ", "INVALID", "STRING", "TYPE_FP32", "FP8"}) {
    EXPECT_EQ(ParseDataType(name), std::nullopt) << name;
  }
}

}  // namespace
}  // namespace inferd::tensor

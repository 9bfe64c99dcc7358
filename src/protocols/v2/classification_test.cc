#include "protocols/v2/classification.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "data/tensor/bytes.h"
#include "data/tensor/half.h"

namespace inferd::v2 {
namespace {

using tensor::DataType;

template <typename T>
core::InferTensor Tensor(DataType datatype, tensor::Shape shape, std::vector<T> values) {
  core::InferTensor tensor;
  tensor.name = "y";
  tensor.datatype = datatype;
  tensor.shape = std::move(shape);
  base::Buffer bytes = base::Buffer::Allocate(values.size() * sizeof(T));
  if (!values.empty()) std::memcpy(bytes.data(), values.data(), values.size() * sizeof(T));
  tensor.data = base::BufferSlice(std::move(bytes));
  return tensor;
}

std::vector<std::string> Elements(const core::InferTensor& tensor) {
  std::vector<std::string> elements;
  for (const std::string_view element : tensor::PackedElements(tensor.data.bytes())) elements.emplace_back(element);
  return elements;
}

TEST(ClassifyTest, LargestFirstPerRowWithLabels) {
  core::TensorSpec spec;
  spec.labels = {"zero", "one"};
  const auto tensor = Tensor<float>(DataType::kFp32, {2, 3}, {0.5f, 0.25f, 4.0f, -1.0f, 3.5f, -2.0f});
  const auto result = Classify(tensor, spec, true, 2);
  ASSERT_TRUE(result.has_value()) << result.error().ToString();
  EXPECT_EQ(result->name, "y");
  EXPECT_EQ(result->datatype, DataType::kBytes);
  EXPECT_EQ(result->shape, (tensor::Shape{2, 2}));
  EXPECT_EQ(Elements(*result), (std::vector<std::string>{"4:2", "0.5:0:zero", "3.5:1:one", "-1:0:zero"}));
}

TEST(ClassifyTest, ValuesMayHaveSixDecimals) {
  const auto classes = [](const core::InferTensor& tensor) {
    return Elements(*Classify(tensor, {}, false, 2, ClassValues::kSixDecimals));
  };
  EXPECT_EQ(classes(Tensor<float>(DataType::kFp32, {2}, {1e-7f, 2.5f})),
            (std::vector<std::string>{"2.500000:1", "0.000000:0"}));
  EXPECT_EQ(classes(Tensor<double>(DataType::kFp64, {2}, {-1.7e308, -0.25}))[1].size(), 317u + 2u);
  EXPECT_EQ(classes(Tensor<int32_t>(DataType::kInt32, {2}, {7, 9})), (std::vector<std::string>{"9:1", "7:0"}));
}

TEST(ClassifyTest, WithoutBatchTheWholeTensorIsOneRow) {
  const auto tensor = Tensor<int64_t>(DataType::kInt64, {2, 2}, {7, INT64_MIN, 7, 9});
  const auto result = Classify(tensor, {}, false, 10);
  ASSERT_TRUE(result.has_value());
  EXPECT_EQ(result->shape, (tensor::Shape{4}));
  EXPECT_EQ(Elements(*result), (std::vector<std::string>{"9:3", "7:0", "7:2", "-9223372036854775808:1"}));
}

TEST(ClassifyTest, NanIsSmallest) {
  const auto tensor = Tensor<double>(DataType::kFp64, {4}, {std::nan(""), -INFINITY, std::nan(""), 1e300});
  const auto result = Classify(tensor, {}, false, 4);
  ASSERT_TRUE(result.has_value());
  EXPECT_EQ(Elements(*result), (std::vector<std::string>{"1e+300:3", "-inf:1", "nan:0", "nan:2"}));
}

TEST(ClassifyTest, SixteenBitFloatsAndEmptyTensors) {
  const auto half = Tensor<uint16_t>(DataType::kFp16, {2}, {tensor::FloatToHalf(-0.5f), tensor::FloatToHalf(1.5f)});
  EXPECT_EQ(Elements(*Classify(half, {}, false, 1)), (std::vector<std::string>{"1.5:1"}));
  const auto bf16 = Tensor<uint16_t>(DataType::kBf16, {1, 2}, {tensor::FloatToBf16(2.0f), tensor::FloatToBf16(1.0f)});
  EXPECT_EQ(Elements(*Classify(bf16, {}, true, 1)), (std::vector<std::string>{"2:0"}));
  const auto empty = Classify(Tensor<float>(DataType::kFp32, {0, 3}, {}), {}, true, 2);
  ASSERT_TRUE(empty.has_value());
  EXPECT_EQ(empty->shape, (tensor::Shape{0, 0}));
  EXPECT_TRUE(Elements(*empty).empty());
}

TEST(ClassifyTest, RefusesWhatHasNoOrder) {
  const auto tensor = Tensor<uint8_t>(DataType::kBool, {1}, {1});
  EXPECT_EQ(Classify(tensor, {}, false, 1).error(),
            base::InvalidArgument("output 'y': classification needs a numeric datatype, got BOOL"));
}

}  // namespace
}  // namespace inferd::v2

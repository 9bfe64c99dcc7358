#include "serving/scheduling/requests/resized_tensor.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "data/tensor/bytes.h"
#include "data/tensor/raw.h"

namespace inferd::scheduling {
namespace resized_tensor_test {

using tensor::DataType;
using tensor::Shape;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

template <typename T>
base::BufferSlice Slice(const std::vector<T>& values) {
  base::Buffer buffer = base::Buffer::Allocate(values.size() * sizeof(T));
  if (!values.empty()) std::memcpy(buffer.data(), values.data(), buffer.size());
  return base::BufferSlice(std::move(buffer));
}

template <typename T>
std::vector<T> Values(const base::BufferSlice& data) {
  std::vector<T> values(data.size() / sizeof(T));
  if (!values.empty()) std::memcpy(values.data(), data.data(), data.size());
  return values;
}

base::BufferSlice Packed(const std::vector<std::string>& elements) {
  tensor::BytesPacker packer(0);
  for (const std::string& element : elements) EXPECT_TRUE(packer.Append(element).ok());
  return base::BufferSlice(packer.Take());
}

std::vector<std::string> Elements(const base::BufferSlice& data) {
  std::vector<std::string> elements;
  for (const std::string_view element : tensor::PackedElements(data.bytes())) elements.emplace_back(element);
  return elements;
}

// The reference: element by element.
std::vector<int32_t> Expected(const std::vector<int32_t>& values, const Shape& from, const Shape& to, int32_t fill) {
  std::vector<int32_t> result;
  std::vector<int64_t> at(to.rank(), 0);
  const auto count = static_cast<size_t>(*to.ElementCount());
  for (size_t n = 0; n < count; ++n) {
    size_t rest = n;
    for (size_t axis = to.rank(); axis-- > 0;) {
      at[axis] = static_cast<int64_t>(rest) % to[axis];
      rest /= static_cast<size_t>(to[axis]);
    }
    bool inside = true;
    int64_t index = 0;
    for (size_t axis = 0; axis < to.rank(); ++axis) {
      inside &= at[axis] < from[axis];
      index = index * from[axis] + at[axis];
    }
    result.push_back(inside ? values[static_cast<size_t>(index)] : fill);
  }
  return result;
}

TEST(ResizedTensorTest, PadsTheLastDimension) {
  const auto data = Slice<int32_t>({1, 2, 3, 4});
  EXPECT_THAT(Values<int32_t>(Padded(DataType::kInt32, data, {2, 2}, {2, 3}, 7)), ElementsAre(1, 2, 7, 3, 4, 7));
}

TEST(ResizedTensorTest, PadsTheFirstDimension) {
  const auto data = Slice<int32_t>({1, 2, 3, 4});
  EXPECT_THAT(Values<int32_t>(Padded(DataType::kInt32, data, {2, 2}, {3, 2}, 7)), ElementsAre(1, 2, 3, 4, 7, 7));
}

TEST(ResizedTensorTest, PadsSeveralDimensionsAtOnce) {
  const auto data = Slice<int32_t>({1, 2});
  EXPECT_THAT(Values<int32_t>(Padded(DataType::kInt32, data, {1, 2, 1}, {2, 2, 2}, 0)),
              ElementsAre(1, 0, 2, 0, 0, 0, 0, 0));
}

TEST(ResizedTensorTest, PadsNothingIntoSomething) {
  EXPECT_THAT(Values<int32_t>(Padded(DataType::kInt32, {}, {2, 0}, {2, 2}, 5)), ElementsAre(5, 5, 5, 5));
}

// If one dimension is 0, the others may be anything: they must not be walked.
TEST(ResizedTensorTest, ATensorWithoutElementsStaysOne) {
  const int64_t huge = int64_t{1} << 60;
  EXPECT_EQ(PaddedSize(DataType::kInt32, 0, {huge, 0, 1}, {huge, 0, 8}), 0u);
  EXPECT_TRUE(Padded(DataType::kInt32, {}, {huge, 0, 1}, {huge, 0, 8}, 0).empty());
  EXPECT_TRUE(Padded(DataType::kBytes, {}, {huge, 0, 1}, {huge, 0, 8}, 0).empty());
  EXPECT_TRUE(Cropped(DataType::kInt32, {}, {huge, 0, 8}, {huge, 0, 1})->empty());
  EXPECT_TRUE(Cropped(DataType::kInt32, Slice<int32_t>({1, 2}), {2, 1}, {2, 0})->empty());
}

TEST(ResizedTensorTest, PadsEveryWidth) {
  EXPECT_THAT(Values<int8_t>(Padded(DataType::kInt8, Slice<int8_t>({1}), {1}, {3}, 0xFE)), ElementsAre(1, -2, -2));
  EXPECT_THAT(Values<uint16_t>(Padded(DataType::kFp16, Slice<uint16_t>({1}), {1}, {3}, 0x3C00)),
              ElementsAre(1, 0x3C00, 0x3C00));
  EXPECT_THAT(Values<double>(Padded(DataType::kFp64, Slice<double>({1.5}), {1}, {2},
                                    Filling::FirstOf(DataType::kFp64, Slice<double>({1.5})))),
              ElementsAre(1.5, 1.5));
  EXPECT_THAT(Values<double>(Padded(DataType::kFp64, Slice<double>({1.5}), {1}, {2}, *ElementOf(DataType::kFp64, -2))),
              ElementsAre(1.5, -2));
}

TEST(ResizedTensorTest, PadsElementsThatAreLargerThanAnyNumber) {
  const auto data = Slice<double>({1.5, -2, 3, 4});  // two complex numbers
  const Filling first = Filling::FirstOf(DataType::kComplex128, data);
  EXPECT_THAT(Values<double>(Padded(DataType::kComplex128, data, {2}, {4}, first)),
              ElementsAre(1.5, -2, 3, 4, 1.5, -2, 1.5, -2));
  EXPECT_THAT(Values<double>(Padded(DataType::kComplex128, data, {2, 1}, {2, 2}, 0)),
              ElementsAre(1.5, -2, 0, 0, 3, 4, 0, 0));
  EXPECT_THAT(Values<double>(*Cropped(DataType::kComplex128, data, {1, 2}, {1, 1})), ElementsAre(1.5, -2));
  EXPECT_FALSE(ElementOf(DataType::kComplex128, 0).has_value());
}

TEST(ResizedTensorTest, PadsBytesWithEmptyElements) {
  const auto data = Packed({"a", "", "ccc", "dd"});
  EXPECT_THAT(Elements(Padded(DataType::kBytes, data, {2, 2}, {2, 3}, 0)), ElementsAre("a", "", "", "ccc", "dd", ""));
  EXPECT_THAT(Elements(Padded(DataType::kBytes, data, {2, 2}, {3, 2}, 0)), ElementsAre("a", "", "ccc", "dd", "", ""));
  const Filling first = Filling::FirstOf(DataType::kBytes, data);
  EXPECT_EQ(PaddedSize(DataType::kBytes, data.size(), {2, 2}, {2, 3}, first), data.size() + 10);
  EXPECT_THAT(Elements(Padded(DataType::kBytes, data, {2, 2}, {2, 3}, first)),
              ElementsAre("a", "", "a", "ccc", "dd", "a"));
  EXPECT_EQ(PaddedSize(DataType::kBytes, data.size(), {2, 2}, {3, 2}), data.size() + 8);
}

TEST(ResizedTensorTest, CropsTheLeadingDimensionAsAView) {
  const auto data = Slice<int32_t>({1, 2, 3, 4, 5, 6});
  const auto cropped = Cropped(DataType::kInt32, data, {3, 2}, {2, 2});
  EXPECT_THAT(Values<int32_t>(*cropped), ElementsAre(1, 2, 3, 4));
  EXPECT_EQ(cropped->data(), data.data());
  const auto one_row = Cropped(DataType::kInt32, data, {1, 3, 2}, {1, 1, 2});
  EXPECT_THAT(Values<int32_t>(*one_row), ElementsAre(1, 2));
  EXPECT_EQ(one_row->data(), data.data());
  const auto corner = Cropped(DataType::kInt32, data, {3, 2}, {1, 1});
  EXPECT_THAT(Values<int32_t>(*corner), ElementsAre(1));
  EXPECT_EQ(corner->data(), data.data());
}

TEST(ResizedTensorTest, CropsAnInnerDimensionAsACopy) {
  const auto data = Slice<int32_t>({1, 2, 3, 4, 5, 6});
  EXPECT_THAT(Values<int32_t>(*Cropped(DataType::kInt32, data, {2, 3}, {2, 2})), ElementsAre(1, 2, 4, 5));
}

TEST(ResizedTensorTest, CropsBytes) {
  const auto data = Packed({"a", "", "ccc", "dd", "e", "f"});
  EXPECT_THAT(Elements(*Cropped(DataType::kBytes, data, {2, 3}, {2, 1})), ElementsAre("a", "dd"));
  const auto prefix = Cropped(DataType::kBytes, data, {3, 2}, {2, 2});
  EXPECT_THAT(Elements(*prefix), ElementsAre("a", "", "ccc", "dd"));
  EXPECT_EQ(prefix->data(), data.data());
}

TEST(ResizedTensorTest, WhatIsNoTensorOfItsShapeIsNotCropped) {
  EXPECT_FALSE(Cropped(DataType::kInt32, Slice<int32_t>({1, 2, 3}), {2, 2}, {2, 1}).has_value());
  EXPECT_FALSE(Cropped(DataType::kBytes, Packed({"a"}), {2}, {1}).has_value());
  EXPECT_FALSE(Cropped(DataType::kInt32, {}, {-1, 2}, {1, 1}).has_value());
  EXPECT_FALSE(Cropped(DataType::kInt32, {}, {int64_t{1} << 40, int64_t{1} << 40}, {1, 1}).has_value());
}

TEST(ResizedTensorTest, TheSameShapeIsTheSameData) {
  const auto data = Slice<int32_t>({1, 2});
  EXPECT_EQ(Padded(DataType::kInt32, data, {2}, {2}, 0).data(), data.data());
  EXPECT_EQ(Cropped(DataType::kInt32, data, {2}, {2})->data(), data.data());
  EXPECT_EQ(Cropped(DataType::kInt32, data.Sub(0, 4), {}, {})->size(), 4u);
}

TEST(ResizedTensorTest, SizesThatCannotBeSaidAreNone) {
  const int64_t huge = int64_t{1} << 62;
  EXPECT_EQ(PaddedSize(DataType::kInt32, 4, {1, 1}, {1, huge}), std::nullopt);
  EXPECT_EQ(PaddedSize(DataType::kInt32, 4, {1, 1}, {huge, huge}), std::nullopt);
  EXPECT_EQ(PaddedSize(DataType::kBytes, 4, {1, 1}, {1, huge}), std::nullopt);
}

TEST(ResizedTensorTest, PadsAndCropsAsElementByElement) {
  std::mt19937 random(20261121);
  for (int round = 0; round < 2000; ++round) {
    const size_t rank = 1 + random() % 4;
    Shape small;
    Shape large;
    for (size_t axis = 0; axis < rank; ++axis) {
      small.Append(static_cast<int64_t>(random() % 4));
      large.Append(small[axis] + static_cast<int64_t>(random() % 2 == 0 ? 0 : random() % 4));
    }
    std::vector<int32_t> values(static_cast<size_t>(*small.ElementCount()));
    std::iota(values.begin(), values.end(), 100);
    const base::BufferSlice padded = Padded(DataType::kInt32, Slice(values), small, large, 7);
    ASSERT_EQ(Values<int32_t>(padded), Expected(values, small, large, 7))
        << small.ToString() << " to " << large.ToString();
    const auto cropped = Cropped(DataType::kInt32, padded, large, small);
    ASSERT_TRUE(cropped.has_value());
    ASSERT_EQ(Values<int32_t>(*cropped), values) << large.ToString() << " to " << small.ToString();

    std::vector<std::string> texts;
    for (size_t i = 0; i < values.size(); ++i) texts.emplace_back(random() % 5, 'x');
    const base::BufferSlice packed = Padded(DataType::kBytes, Packed(texts), small, large, 0);
    ASSERT_TRUE(tensor::CheckRaw(DataType::kBytes, large, packed.bytes()).ok());
    const auto back = Cropped(DataType::kBytes, packed, large, small);
    ASSERT_TRUE(back.has_value());
    ASSERT_EQ(Elements(*back), texts);
  }
}

TEST(ResizedTensorTest, ElementsOfEveryType) {
  EXPECT_EQ(ElementOf(DataType::kBool, 1), 1u);
  EXPECT_EQ(ElementOf(DataType::kUint8, 255), 255u);
  EXPECT_EQ(ElementOf(DataType::kInt8, -128), 0x80u);
  EXPECT_EQ(ElementOf(DataType::kUint16, 65535), 65535u);
  EXPECT_EQ(ElementOf(DataType::kInt16, -1), 0xFFFFu);
  EXPECT_EQ(ElementOf(DataType::kUint32, 4294967295.0), 4294967295u);
  EXPECT_EQ(ElementOf(DataType::kInt32, -1), 0xFFFFFFFFu);
  EXPECT_EQ(ElementOf(DataType::kUint64, 9.0), 9u);
  EXPECT_EQ(ElementOf(DataType::kInt64, -100), static_cast<uint64_t>(-100));
  EXPECT_EQ(ElementOf(DataType::kFp16, 1), 0x3C00u);
  EXPECT_EQ(ElementOf(DataType::kBf16, 1), 0x3F80u);
  EXPECT_EQ(ElementOf(DataType::kFp32, 1), 0x3F800000u);
  EXPECT_EQ(ElementOf(DataType::kFp32, -std::numeric_limits<double>::infinity()), 0xFF800000u);
  EXPECT_EQ(ElementOf(DataType::kFp16, -std::numeric_limits<double>::infinity()), 0xFC00u);
  EXPECT_TRUE(ElementOf(DataType::kFp32, std::nan("")).has_value());
  EXPECT_EQ(ElementOf(DataType::kFp64, 1), 0x3FF0000000000000u);
  EXPECT_EQ(ElementOf(DataType::kBytes, 0), 0u);
}

TEST(ResizedTensorTest, ValuesThatATypeDoesNotHave) {
  const auto error = [](DataType type, double value) {
    const auto made = ElementOf(type, value);
    EXPECT_FALSE(made.has_value());
    return made.has_value() ? "" : made.error().message();
  };
  EXPECT_EQ(error(DataType::kInt8, 128), "expected a value of INT8, got 128");
  EXPECT_EQ(error(DataType::kInt32, 0.5), "expected a value of INT32, got 0.5");
  EXPECT_EQ(error(DataType::kUint8, -1), "expected a value of UINT8, got -1");
  EXPECT_EQ(error(DataType::kInt64, std::ldexp(1.0, 63)), "expected a value of INT64, got 9223372036854775808");
  EXPECT_EQ(error(DataType::kUint64, std::nan("")), "expected a value of UINT64, got nan");
  EXPECT_EQ(error(DataType::kBool, 2), "expected a value of BOOL, got 2");
  EXPECT_EQ(error(DataType::kFp16, 1e6), "expected a value of FP16, got 1e+06");
  EXPECT_EQ(error(DataType::kBf16, 1e300), "expected a value of BF16, got 1e+300");
  EXPECT_EQ(error(DataType::kFp32, -1e300), "expected a value of FP32, got -1e+300");
  EXPECT_EQ(error(DataType::kBytes, 1), "expected a value of BYTES, which is 0 for an empty element, got 1");
}

}  // namespace resized_tensor_test
}  // namespace inferd::scheduling

#include "data/tensor/raw.h"

#include <gtest/gtest.h>

#include <vector>

namespace inferd::tensor {
namespace {

std::string CheckBytes(DataType type, const Shape& shape, size_t size) {
  return CheckRaw(type, shape, std::vector<std::byte>(size)).message();
}

TEST(RawTest, ComputesByteSizes) {
  EXPECT_EQ(ByteSize(DataType::kFp32, {2, 3}).value(), 24u);
  EXPECT_EQ(ByteSize(DataType::kFp16, {}).value(), 2u);
  EXPECT_EQ(ByteSize(DataType::kInt64, {7, 0}).value(), 0u);
  EXPECT_EQ(ByteSize(DataType::kUint8, {int64_t{1} << 40}).value(), size_t{1} << 40);
}

TEST(RawTest, RefusesSizesThatOverflow) {
  EXPECT_EQ(ByteSize(DataType::kFp64, {int64_t{1} << 61}).error().message(),
            "shape [2305843009213693952] has more than 2^63 bytes of FP64");
  EXPECT_FALSE(ByteSize(DataType::kFp64, {int64_t{1} << 60}).has_value());
  EXPECT_TRUE(ByteSize(DataType::kFp64, {int64_t{1} << 59}).has_value());
  EXPECT_EQ(ByteSize(DataType::kUint8, {int64_t{1} << 32, int64_t{1} << 32}).error().message(),
            "shape [4294967296,4294967296] has more than 2^63 elements");
  EXPECT_EQ(ByteSize(DataType::kUint8, {3, -1}).error().message(), "shape [3,-1] has a negative dimension");
}

TEST(RawTest, ComparesBytesWithTheShape) {
  EXPECT_EQ(CheckBytes(DataType::kInt32, {2, 2}, 16), "");
  EXPECT_EQ(CheckBytes(DataType::kInt32, {2, 2}, 15), "expected 16 bytes for INT32 of shape [2,2], got 15");
  EXPECT_EQ(CheckBytes(DataType::kBool, {0}, 1), "expected 0 bytes for BOOL of shape [0], got 1");
  EXPECT_EQ(CheckBytes(DataType::kBytes, {1}, 4), "");
  EXPECT_EQ(CheckBytes(DataType::kBytes, {2}, 4), "expected 2 BYTES elements, got 1");
  EXPECT_NE(CheckBytes(DataType::kBytes, {-1}, 4), "");
}

TEST(RawTest, CopiesOnlyWhatIsMisaligned) {
  const base::Buffer buffer = base::Buffer::CopyOf("0123456789abcdef");
  const base::BufferSlice whole(buffer);
  EXPECT_EQ(Aligned(whole, 64).data(), buffer.data());
  EXPECT_EQ(Aligned(whole.Sub(4, 8), 4).data(), buffer.data() + 4);
  const base::BufferSlice copy = Aligned(whole.Sub(3, 8), 4);
  EXPECT_NE(copy.data(), buffer.data() + 3);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(copy.data()) % 4, 0u);
  EXPECT_EQ(copy.view(), "3456789a");
}

}  // namespace
}  // namespace inferd::tensor

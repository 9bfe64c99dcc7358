#include "data/wire/elements_reader.h"

#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

namespace inferd::wire {
namespace {

using namespace std::string_literals;
using tensor::DataType;

constexpr uint32_t kNumber = 13;

base::Result<base::Buffer> Read(std::vector<std::string> parts, DataType type) {
  const std::vector<Reader> readers(parts.begin(), parts.end());
  Extent extent;
  const auto element = [type](uint32_t number) { return number == kNumber ? ElementType(type) : Type::kEndGroup; };
  for (const Reader& part : readers) INFERD_RETURN_IF_ERROR(Measure(part, kNumber, element, extent));
  return ReadElements(readers, kNumber, type, extent);
}

std::string Bytes(const base::Result<base::Buffer>& tensor) {
  if (!tensor.has_value()) return tensor.error().ToString();
  return {reinterpret_cast<const char*>(tensor->data()), tensor->size()};
}

TEST(ElementsReaderTest, PartsPackedAndSingleElementsStandInOrder) {
  const std::string packed = "\x6a\x03\x01\x80\x02";  // 1, 256
  const std::string single = "\x68\x03";              // 3
  EXPECT_EQ(Bytes(Read({packed + single, packed}, DataType::kUint16)), "\1\0\0\1\3\0\1\0\0\1"s);
}

TEST(ElementsReaderTest, SixteenBitFloatsAreTheirBits) {
  const std::string one = "\x6a\x02\x80\x78";  // 0x3c00
  EXPECT_EQ(Bytes(Read({one}, DataType::kFp16)), "\0\x3c"s);
  EXPECT_EQ(Bytes(Read({one}, DataType::kBf16)), "\0\x3c"s);
}

TEST(ElementsReaderTest, FieldsOfOtherNumbersDoNotCount) {
  EXPECT_EQ(Bytes(Read({"\x08\x01\x12\x01\x05\x68\x07"}, DataType::kInt8)), "\7");
}

TEST(ElementsReaderTest, SaysWhichElementDoesNotFit) {
  const auto tensor = Read({"\x6a\x03\x01\x80\x02"}, DataType::kInt8);
  ASSERT_FALSE(tensor.has_value());
  EXPECT_EQ(tensor.error().message(), "element 1: expected -128 to 127 for INT8, got 256");
}

TEST(ElementsReaderTest, RefusesAPackedFieldThatEndsInsideANumber) {
  EXPECT_EQ(Read({"\x6a\x02\x01\x80"s}, DataType::kInt32).error().code(), base::StatusCode::kInvalidArgument);
  EXPECT_EQ(Read({"\x6a\x02\x01\x02"s}, DataType::kFp32).error().code(), base::StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace inferd::wire

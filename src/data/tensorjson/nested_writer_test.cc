#include "data/tensorjson/nested_writer.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "data/tensor/bytes.h"

namespace inferd::tensorjson {
namespace {

using tensor::DataType;
using tensor::Shape;

template <typename T>
std::vector<std::byte> Bytes(const std::vector<T>& values) {
  std::vector<std::byte> bytes(values.size() * sizeof(T));
  if (!values.empty()) std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

std::vector<std::byte> Packed(const std::vector<std::string>& elements) {
  tensor::BytesPacker packer(16);
  for (const std::string& element : elements) EXPECT_TRUE(packer.Append(element).ok());
  const base::Buffer buffer = packer.Take();
  return {buffer.data(), buffer.data() + buffer.size()};
}

std::string Text(DataType type, const Shape& shape, const std::vector<std::byte>& data, bool base64 = false) {
  auto nested = NestedWriter::Create(type, shape, data, base64);
  if (!nested.has_value()) return nested.error().ToString();
  json::Writer writer;
  const base::Status status = nested->WriteAll(writer);
  return status.ok() ? writer.TakeString() : status.ToString();
}

TEST(NestedWriterTest, NestsAsTheShapeSays) {
  const auto data = Bytes<int32_t>({1, 2, 3, 4, 5, 6});
  EXPECT_EQ(Text(DataType::kInt32, {6}, data), "[1,2,3,4,5,6]");
  EXPECT_EQ(Text(DataType::kInt32, {2, 3}, data), "[[1,2,3],[4,5,6]]");
  EXPECT_EQ(Text(DataType::kInt32, {1, 3, 2, 1}, data), "[[[[1],[2]],[[3],[4]],[[5],[6]]]]");
  EXPECT_EQ(Text(DataType::kInt32, {}, Bytes<int32_t>({-7})), "-7");
  EXPECT_EQ(Text(DataType::kInt32, {0}, {}), "[]");
  EXPECT_EQ(Text(DataType::kInt32, {2, 0}, {}), "[[],[]]");
}

TEST(NestedWriterTest, WritesEachDatatype) {
  EXPECT_EQ(Text(DataType::kBool, {2}, Bytes<uint8_t>({0, 1})), "[false,true]");
  EXPECT_EQ(Text(DataType::kUint8, {2}, Bytes<uint8_t>({0, 255})), "[0,255]");
  EXPECT_EQ(Text(DataType::kInt8, {1}, Bytes<int8_t>({-128})), "[-128]");
  EXPECT_EQ(Text(DataType::kUint16, {1}, Bytes<uint16_t>({65535})), "[65535]");
  EXPECT_EQ(Text(DataType::kInt16, {1}, Bytes<int16_t>({-32768})), "[-32768]");
  EXPECT_EQ(Text(DataType::kUint32, {1}, Bytes<uint32_t>({4294967295})), "[4294967295]");
  EXPECT_EQ(Text(DataType::kInt64, {1}, Bytes<int64_t>({std::numeric_limits<int64_t>::min()})),
            "[-9223372036854775808]");
  EXPECT_EQ(Text(DataType::kUint64, {1}, Bytes<uint64_t>({std::numeric_limits<uint64_t>::max()})),
            "[18446744073709551615]");
  EXPECT_EQ(Text(DataType::kFp32, {3}, Bytes<float>({1, 0.5, 9e6})), "[1.0,0.5,9e+06]");
  EXPECT_EQ(Text(DataType::kFp64, {1}, Bytes<double>({0.1})), "[0.1]");
  EXPECT_EQ(Text(DataType::kFp16, {1}, Bytes<uint16_t>({0x3C00})), "[1.0]");
  EXPECT_EQ(Text(DataType::kBf16, {1}, Bytes<uint16_t>({0x3F80})), "[1.0]");
}

TEST(NestedWriterTest, WhatIsNotFiniteIsATokenAsTensorflowServingWritesIt) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  EXPECT_EQ(Text(DataType::kFp32, {3}, Bytes<float>({std::nanf(""), kInfinity, -kInfinity})),
            "[NaN,Infinity,-Infinity]");
}

TEST(NestedWriterTest, BytesAreStringsOrBase64) {
  const auto data = Packed({"a\"b", "", "hello"});
  EXPECT_EQ(Text(DataType::kBytes, {3}, data), R"(["a\"b","","hello"])");
  EXPECT_EQ(Text(DataType::kBytes, {3, 1}, data, true), R"([[{"b64":"YSJi"}],[{"b64":""}],[{"b64":"aGVsbG8="}]])");
  EXPECT_TRUE(Text(DataType::kBytes, {1}, Packed({"\xFF"})).starts_with("INVALID_ARGUMENT: an element is not valid"));
}

TEST(NestedWriterTest, WritesOneValueAfterTheOther) {
  const auto data = Bytes<float>({1, 2, 3, 4});
  auto nested = NestedWriter::Create(DataType::kFp32, {2, 2}, data, false).value();
  const auto texts = Packed({"x", "y"});
  auto scalars = NestedWriter::Create(DataType::kBytes, {2}, texts, false).value();
  json::Writer writer;
  writer.BeginArray();
  for (int i = 0; i < 2; ++i) {
    EXPECT_TRUE(nested.WriteNext(writer).ok());
    EXPECT_TRUE(scalars.WriteNext(writer).ok());
  }
  writer.EndArray();
  EXPECT_EQ(writer.TakeString(), R"([[1.0,2.0],"x",[3.0,4.0],"y"])");
}

TEST(NestedWriterTest, ManyElementsPassThroughMoreThanOneChunk) {
  std::vector<int64_t> values(20'000, std::numeric_limits<int64_t>::min());
  std::string expected = "[";
  for (size_t i = 0; i < values.size(); ++i) expected += i == 0 ? "-9223372036854775808" : ",-9223372036854775808";
  EXPECT_EQ(Text(DataType::kInt64, {20'000}, Bytes(values)), expected + "]");
}

TEST(NestedWriterTest, DataThatDoesNotFitIsOurFault) {
  EXPECT_TRUE(Text(DataType::kInt32, {3}, Bytes<int32_t>({1})).starts_with("INTERNAL"));
  EXPECT_TRUE(Text(DataType::kBytes, {2}, Packed({"x"})).starts_with("INTERNAL"));
}

}  // namespace
}  // namespace inferd::tensorjson

#include "protocols/oip_grpc/codec/typed_contents_reader.h"

#include <gtest/gtest.h>

#include <cstring>
#include <initializer_list>
#include <limits>
#include <string>
#include <vector>

#include "oip/grpc_service.pb.h"

namespace inferd::oip_grpc {
namespace {

using inference::InferTensorContents;
using tensor::DataType;
using wire::Reader;

base::Result<base::Buffer> Read(std::string_view contents, DataType type) {
  const Reader parts[] = {Reader(contents)};
  return ReadTypedContents(parts, type);
}

std::string Error(std::string_view contents, DataType type) {
  const auto tensor = Read(contents, type);
  if (tensor.has_value()) return "no error";
  EXPECT_EQ(tensor.error().code(), base::StatusCode::kInvalidArgument);
  return tensor.error().message();
}
std::string Error(const InferTensorContents& contents, DataType type) {
  return Error(contents.SerializeAsString(), type);
}

template <typename T>
std::vector<T> Values(const base::Result<base::Buffer>& tensor) {
  if (!tensor.has_value()) {
    ADD_FAILURE() << tensor.error().ToString();
    return {};
  }
  std::vector<T> values(tensor->size() / sizeof(T));
  if (!values.empty()) std::memcpy(values.data(), tensor->data(), tensor->size());
  return values;
}

// Converts the extremes of T in `field` to a tensor and back.
template <typename T, typename Add>
void ExpectExtremes(DataType type, Add add) {
  const std::vector<T> values = {std::numeric_limits<T>::lowest(), 0, 1, std::numeric_limits<T>::max()};
  InferTensorContents contents;
  for (const T value : values) (contents.*add)(value);
  EXPECT_EQ(Values<T>(Read(contents.SerializeAsString(), type)), values) << tensor::DataTypeName(type);
}

TEST(ReadTypedContentsTest, ReadsTheExtremesOfEveryType) {
  using C = InferTensorContents;
  ExpectExtremes<uint8_t>(DataType::kUint8, &C::add_uint_contents);
  ExpectExtremes<uint16_t>(DataType::kUint16, &C::add_uint_contents);
  ExpectExtremes<uint32_t>(DataType::kUint32, &C::add_uint_contents);
  ExpectExtremes<uint64_t>(DataType::kUint64, &C::add_uint64_contents);
  ExpectExtremes<int8_t>(DataType::kInt8, &C::add_int_contents);
  ExpectExtremes<int16_t>(DataType::kInt16, &C::add_int_contents);
  ExpectExtremes<int32_t>(DataType::kInt32, &C::add_int_contents);
  ExpectExtremes<int64_t>(DataType::kInt64, &C::add_int64_contents);
  ExpectExtremes<float>(DataType::kFp32, &C::add_fp32_contents);
  ExpectExtremes<double>(DataType::kFp64, &C::add_fp64_contents);
  InferTensorContents bools;
  for (const bool value : {true, false, true}) bools.add_bool_contents(value);
  EXPECT_EQ(Values<uint8_t>(Read(bools.SerializeAsString(), DataType::kBool)), (std::vector<uint8_t>{1, 0, 1}));
}

TEST(ReadTypedContentsTest, BytesBecomePacked) {
  InferTensorContents contents;
  for (const char* element : {"ab", "", "c"}) contents.add_bytes_contents(element);
  const auto tensor = Read(contents.SerializeAsString(), DataType::kBytes);
  ASSERT_TRUE(tensor.has_value());
  EXPECT_EQ(base::BufferSlice(*tensor).view(), std::string_view("\2\0\0\0ab\0\0\0\0\1\0\0\0c", 15));
}

TEST(ReadTypedContentsTest, PackedAndSingleElementsMix) {
  const std::string_view mixed("\x10\x01\x12\x02\x02\x03\x10\x04\x12\x00\x12\x01\x05", 13);
  EXPECT_EQ(Values<int8_t>(Read(mixed, DataType::kInt8)), (std::vector<int8_t>{1, 2, 3, 4, 5}));
  const std::string_view floats("\x35\x00\x00\x80\x3f\x32\x04\x00\x00\x00\x40", 11);
  EXPECT_EQ(Values<float>(Read(floats, DataType::kFp32)), (std::vector<float>{1, 2}));
}

TEST(ReadTypedContentsTest, PartsAreMerged) {
  const std::string first("\x12\x02\x01\x02", 4);
  const std::string second("\x10\x03", 2);
  const Reader parts[] = {Reader(first), Reader(""), Reader(second)};
  EXPECT_EQ(Values<int16_t>(ReadTypedContents(parts, DataType::kInt16)), (std::vector<int16_t>{1, 2, 3}));
}

TEST(ReadTypedContentsTest, IntegersAreRangeChecked) {
  const auto error = [](DataType type, std::initializer_list<int32_t> values) {
    InferTensorContents contents;
    for (const int32_t value : values) {
      type == DataType::kUint8 || type == DataType::kUint16 ? contents.add_uint_contents(static_cast<uint32_t>(value))
                                                            : contents.add_int_contents(value);
    }
    return Error(contents, type);
  };
  EXPECT_EQ(error(DataType::kInt8, {1, 128, 300}), "element 1: expected -128 to 127 for INT8, got 128");
  EXPECT_EQ(error(DataType::kInt8, {-129}), "element 0: expected -128 to 127 for INT8, got -129");
  EXPECT_EQ(error(DataType::kInt16, {0, 0, 32768}), "element 2: expected -32768 to 32767 for INT16, got 32768");
  EXPECT_EQ(error(DataType::kUint8, {256}), "element 0: expected 0 to 255 for UINT8, got 256");
  EXPECT_EQ(error(DataType::kUint16, {-1}), "element 0: expected 0 to 65535 for UINT16, got 4294967295");
}

TEST(ReadTypedContentsTest, ContentsOfAnotherTypeAreRefused) {
  InferTensorContents contents;
  contents.add_int_contents(1);
  EXPECT_EQ(Error(contents, DataType::kFp32), "expected fp32_contents for FP32, got int_contents");
  EXPECT_EQ(Error(contents, DataType::kInt64), "expected int64_contents for INT64, got int_contents");
  contents.add_int64_contents(1);
  EXPECT_EQ(Error(contents, DataType::kInt64), "expected int64_contents for INT64, got int_contents");
  EXPECT_EQ(Error(contents, DataType::kFp16),
            "expected raw_input_contents for FP16, which has no typed contents, got int64_contents");
  EXPECT_EQ(Error(InferTensorContents(), DataType::kBf16),
            "expected raw_input_contents for BF16, which has no typed contents, got contents");
}

TEST(ReadTypedContentsTest, EmptyFieldsOfAnotherTypeAreNothing) {
  EXPECT_EQ(Values<float>(Read(std::string_view("\x12\x00\x1a\x00", 4), DataType::kFp32)), std::vector<float>{});
}

TEST(ReadTypedContentsTest, MalformedContentsAreRefused) {
  const auto at = [](int byte, std::string_view what) {
    return "the message is not valid protobuf: at byte " + std::to_string(byte) + ": " + std::string(what);
  };
  EXPECT_EQ(Error("\x12\x01\x80", DataType::kInt32), at(3, "a packed field ends inside a number"));
  EXPECT_EQ(Error("\x32\x03"
                  "abc",
                  DataType::kFp32),
            at(5, "a packed field ends inside a number"));
  EXPECT_EQ(Error("\x3a\x04"
                  "abcd",
                  DataType::kFp64),
            at(6, "a packed field ends inside a number"));
  EXPECT_EQ(Error("\x12\x0b\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", DataType::kInt32),
            at(13, "a number has too many bytes"));
  EXPECT_EQ(Error("\x42\x05", DataType::kBytes), at(2, "a field is longer than its message"));
}

}  // namespace
}  // namespace inferd::oip_grpc

#include "data/tensorjson/write.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "data/tensor/bytes.h"
#include "data/tensorjson/parse.h"

namespace inferd::tensorjson {
namespace {

using namespace std::string_view_literals;
using tensor::DataType;
using tensor::Shape;

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kInfinity = std::numeric_limits<float>::infinity();

template <typename T>
std::span<const std::byte> BytesOf(const std::vector<T>& elements) {
  return std::as_bytes(std::span(elements));
}

template <typename T>
std::string Write(DataType type, const std::vector<T>& elements, const WriteOptions& options = {}) {
  json::Writer writer;
  const base::Status status =
      WriteData(writer, type, {static_cast<int64_t>(elements.size())}, BytesOf(elements), options);
  return status.ok() ? writer.TakeString() : status.ToString();
}

std::string WriteStrings(const std::vector<std::string_view>& elements, bool base64 = false) {
  tensor::BytesPacker packer(16);
  for (const std::string_view element : elements) EXPECT_TRUE(packer.Append(element).ok());
  const base::BufferSlice packed(packer.Take());
  json::Writer writer;
  const base::Status status =
      WriteData(writer, DataType::kBytes, {static_cast<int64_t>(elements.size())}, packed.bytes(), {.base64 = base64});
  return status.ok() ? writer.TakeString() : status.ToString();
}

TEST(WriteTensorHeadTest, NamesDatatypeAndShape) {
  json::Writer writer;
  writer.BeginObject();
  WriteTensorHead(writer, "a \"b\"", DataType::kFp32, Shape{2, 3});
  WriteTensorHead(writer, "scalar", DataType::kBytes, Shape());
  writer.EndObject();
  EXPECT_EQ(writer.TakeString(), R"({"name":"a \"b\"","datatype":"FP32","shape":[2,3],)"
                                 R"("name":"scalar","datatype":"BYTES","shape":[]})");
}

TEST(WriteTest, WritesEveryFixedDatatype) {
  EXPECT_EQ(Write<uint8_t>(DataType::kBool, {1, 0, 2}), "[true,false,true]");
  EXPECT_EQ(Write<uint8_t>(DataType::kUint8, {0, 255}), "[0,255]");
  EXPECT_EQ(Write<int8_t>(DataType::kInt8, {-128, 127}), "[-128,127]");
  EXPECT_EQ(Write<uint16_t>(DataType::kUint16, {65535}), "[65535]");
  EXPECT_EQ(Write<int16_t>(DataType::kInt16, {-32768}), "[-32768]");
  EXPECT_EQ(Write<uint32_t>(DataType::kUint32, {4294967295}), "[4294967295]");
  EXPECT_EQ(Write<int32_t>(DataType::kInt32, {-5, 0, 7}), "[-5,0,7]");
  EXPECT_EQ(Write<uint64_t>(DataType::kUint64, {18446744073709551615u}), "[18446744073709551615]");
  EXPECT_EQ(Write<int64_t>(DataType::kInt64, {std::numeric_limits<int64_t>::min()}), "[-9223372036854775808]");
  EXPECT_EQ(Write<uint16_t>(DataType::kFp16, {0x3C00, 0x2E66, 0x8000}), "[1.0,0.099975586,-0.0]");
  EXPECT_EQ(Write<uint16_t>(DataType::kBf16, {0x3F80, 0xC000}), "[1.0,-2.0]");
  EXPECT_EQ(Write<float>(DataType::kFp32, {0.1f, 1e20f, -1.17549435e-38f}), "[0.1,1e+20,-1.1754944e-38]");
  EXPECT_EQ(Write<double>(DataType::kFp64, {0.1, -2.2250738585072014e-308}), "[0.1,-2.2250738585072014e-308]");
}

TEST(WriteTest, WritesWholeNumbersInFull) {
  EXPECT_EQ(Write<float>(DataType::kFp32, {100000, -16777215, 16777216, 0, -0.0f, 0.5f}),
            "[100000.0,-16777215.0,16777216.0,0.0,-0.0,0.5]");
  EXPECT_EQ(Write<double>(DataType::kFp64, {100000, -16777215, -0.0}), "[100000.0,-16777215.0,-0.0]");
}

TEST(WriteTest, WritesEmptyTensorsAndScalars) {
  EXPECT_EQ(Write<float>(DataType::kFp32, {}), "[]");
  EXPECT_EQ(WriteStrings({}), "[]");
  json::Writer writer;
  const std::vector<int32_t> five = {5};
  EXPECT_TRUE(WriteData(writer, DataType::kInt32, {}, BytesOf(five)).ok());
  EXPECT_EQ(writer.TakeString(), "[5]");
}

TEST(WriteTest, WritesNonFiniteValuesAsAsked) {
  const std::vector<float> values = {1, kNan, kInfinity, -kInfinity};
  EXPECT_EQ(Write(DataType::kFp32, values), "[1.0,NaN,Infinity,-Infinity]");
  EXPECT_EQ(Write(DataType::kFp32, values, {.nonfinite = NonFinite::kStrings}),
            R"([1.0,"NaN","Infinity","-Infinity"])");
  EXPECT_EQ(Write(DataType::kFp32, values, {.nonfinite = NonFinite::kNull}), "[1.0,null,null,null]");
  EXPECT_EQ(Write(DataType::kFp32, values, {.nonfinite = NonFinite::kError}),
            "INVALID_ARGUMENT: element 1 is NaN, which JSON has no number for");
  EXPECT_EQ(Write<uint16_t>(DataType::kFp16, {0x7E00, 0xFC00}), "[NaN,-Infinity]");
}

TEST(WriteTest, NamesTheNonFiniteModes) {
  EXPECT_EQ(ParseNonFinite("tokens"), NonFinite::kTokens);
  EXPECT_EQ(ParseNonFinite("strings"), NonFinite::kStrings);
  EXPECT_EQ(ParseNonFinite("null"), NonFinite::kNull);
  EXPECT_EQ(ParseNonFinite("error"), NonFinite::kError);
  EXPECT_EQ(ParseNonFinite("Tokens"), std::nullopt);
}

TEST(WriteTest, WritesStrings) {
  EXPECT_EQ(WriteStrings({"a", "", "b\0\"c"sv, "\xC3\xA9"}), "[\"a\",\"\",\"b\\u0000\\\"c\",\"\xC3\xA9\"]");
  EXPECT_EQ(WriteStrings({"foo", "", "\xFF"}, true), R"(["Zm9v","","/w=="])");
  EXPECT_TRUE(WriteStrings({"a", "\xFF"}).starts_with("INVALID_ARGUMENT: element 1 is not valid UTF-8"));
}

TEST(WriteTest, RefusesDataThatDoesNotFitTheShape) {
  json::Writer writer;
  const std::vector<float> values = {1, 2, 3};
  EXPECT_EQ(WriteData(writer, DataType::kFp32, {2}, BytesOf(values)).code(), base::StatusCode::kInternal);
  EXPECT_EQ(WriteData(writer, DataType::kBytes, {3}, BytesOf(values)).code(), base::StatusCode::kInternal);
}

TEST(WriteTest, ReadsAnyAlignment) {
  std::vector<std::byte> bytes(17);
  const double value = 0.1;
  std::memcpy(bytes.data() + 1, &value, 8);
  std::memcpy(bytes.data() + 9, &value, 8);
  json::Writer writer;
  EXPECT_TRUE(WriteData(writer, DataType::kFp64, {2}, std::span(bytes).subspan(1)).ok());
  EXPECT_EQ(writer.TakeString(), "[0.1,0.1]");
}

// The round trip must be bit-exact, across chunks.
template <typename T>
void ExpectRoundTrip(DataType type, std::mt19937_64& random) {
  std::vector<T> values(30'000);
  for (T& value : values) {
    value = static_cast<T>(random() >> (random() % (8 * sizeof(T))));
    if (type == DataType::kBool) value = static_cast<T>(value & 1);
  }
  const Shape shape{100, 300};
  json::Writer writer;
  ASSERT_TRUE(WriteData(writer, type, shape, BytesOf(values)).ok());
  const std::string text = writer.TakeString();
  const auto parsed = ParseData(text, type, shape);
  ASSERT_TRUE(parsed.has_value()) << parsed.error().ToString();
  const auto* back = reinterpret_cast<const T*>(parsed->data());
  for (size_t i = 0; i < values.size(); ++i) {
    if (back[i] == values[i]) continue;
    std::string one;
    json::Writer single;
    ASSERT_TRUE(WriteData(single, type, {1}, BytesOf(std::vector<T>{values[i]})).ok());
    ASSERT_EQ(single.TakeString(), "[NaN]") << tensor::DataTypeName(type) << " " << i;
  }
}

TEST(WriteTest, RoundTrips) {
  std::mt19937_64 random(7);
  ExpectRoundTrip<uint8_t>(DataType::kBool, random);
  ExpectRoundTrip<uint8_t>(DataType::kUint8, random);
  ExpectRoundTrip<uint16_t>(DataType::kUint16, random);
  ExpectRoundTrip<uint32_t>(DataType::kUint32, random);
  ExpectRoundTrip<uint64_t>(DataType::kUint64, random);
  ExpectRoundTrip<int8_t>(DataType::kInt8, random);
  ExpectRoundTrip<int16_t>(DataType::kInt16, random);
  ExpectRoundTrip<int32_t>(DataType::kInt32, random);
  ExpectRoundTrip<int64_t>(DataType::kInt64, random);
  ExpectRoundTrip<uint16_t>(DataType::kFp16, random);
  ExpectRoundTrip<uint16_t>(DataType::kBf16, random);
  ExpectRoundTrip<uint32_t>(DataType::kFp32, random);
  ExpectRoundTrip<uint64_t>(DataType::kFp64, random);
}

}  // namespace
}  // namespace inferd::tensorjson

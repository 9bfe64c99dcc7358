#include "data/tensorjson/parse.h"

#include <gmock/gmock.h>
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
using ::testing::ElementsAre;
using ::testing::HasSubstr;

// Returns the tensor's elements; both ways of parsing must agree.
template <typename T>
std::vector<T> Parse(std::string_view text, DataType type, const Shape& shape, const ParseOptions& options = {}) {
  const auto from_text = ParseData(text, type, shape, options);
  EXPECT_TRUE(from_text.has_value()) << text << ": " << from_text.error().ToString();
  if (!from_text) return {};
  const std::string body = "{\"data\": " + std::string(text) + " ,\"x\":1}";
  json::Reader reader(body, {.nonfinite_tokens = true});
  EXPECT_TRUE(reader.BeginObject().ok() && reader.NextKey().has_value());
  const auto from_reader = ParseData(reader, type, shape, options);
  EXPECT_TRUE(from_reader.has_value()) << text;
  if (!from_reader) return {};
  EXPECT_EQ(*reader.NextKey().value(), "x");
  EXPECT_EQ(base::BufferSlice(*from_text).view(), base::BufferSlice(*from_reader).view()) << text;
  std::vector<T> elements(from_text->size() / sizeof(T));
  if (!elements.empty()) std::memcpy(elements.data(), from_text->data(), from_text->size());
  return elements;
}

std::vector<std::string> ParseStrings(std::string_view text, const Shape& shape, bool base64 = false) {
  const std::vector<char> packed = Parse<char>(text, DataType::kBytes, shape, {.base64 = base64});
  std::vector<std::string> strings;
  for (const auto element : tensor::PackedElements(std::as_bytes(std::span(packed)))) strings.emplace_back(element);
  return strings;
}

std::string FaultOf(std::string_view text, DataType type, const Shape& shape, const ParseOptions& options = {}) {
  const auto parsed = ParseData(text, type, shape, options);
  if (parsed.has_value()) return "";
  EXPECT_EQ(parsed.error().code(), base::StatusCode::kInvalidArgument);
  EXPECT_THAT(parsed.error().message(), ::testing::MatchesRegex("(data|shape|Unable to parse 'data').*"));
  json::Reader reader(text, {.nonfinite_tokens = true});
  EXPECT_FALSE(ParseData(reader, type, shape, options).has_value()) << text;
  return parsed.error().message();
}

const std::string kWrongSize = "Unable to parse 'data': Shape does not match true shape of 'data' field: expected ";

TEST(ParseTest, TakesFlatAndNestedData) {
  EXPECT_THAT(Parse<int32_t>("[1,2,3,4,5,6]", DataType::kInt32, {2, 3}), ElementsAre(1, 2, 3, 4, 5, 6));
  EXPECT_THAT(Parse<int32_t>("[ [1 ,2,3] ,\n[ 4,5, 6 ] ]", DataType::kInt32, {2, 3}), ElementsAre(1, 2, 3, 4, 5, 6));
  EXPECT_THAT(Parse<int8_t>("[[[1],[2]],[[3],[4]]]", DataType::kInt8, {2, 2, 1}), ElementsAre(1, 2, 3, 4));
  EXPECT_THAT(Parse<int8_t>("[1]", DataType::kInt8, {1, 1, 1}), ElementsAre(1));
  EXPECT_THAT(Parse<int8_t>("[[[1]]]", DataType::kInt8, {1, 1, 1}), ElementsAre(1));
}

TEST(ParseTest, TakesScalars) {
  EXPECT_THAT(Parse<float>("[5]", DataType::kFp32, {}), ElementsAre(5));
  EXPECT_THAT(Parse<float>("5", DataType::kFp32, {}), ElementsAre(5));
  EXPECT_THAT(Parse<float>("NaN", DataType::kFp32, {}).size(), 1u);
  EXPECT_THAT(ParseStrings("\"a\\n\"", {}), ElementsAre("a\n"));
  EXPECT_EQ(FaultOf("[]", DataType::kFp32, {}), kWrongSize + "1 element for shape [], got 0");
  EXPECT_EQ(FaultOf("[[5]]", DataType::kFp32, {}),
            "data element 0: expected data that is flat or nested as shape [], got an array");
  EXPECT_EQ(FaultOf("true", DataType::kFp32, {}), "data element 0: expected a number that FP32 can hold, got true");
  EXPECT_EQ(FaultOf("5", DataType::kFp32, {1}), "data: expected an array, got a number");
}

TEST(ParseTest, TakesEmptyTensors) {
  EXPECT_TRUE(Parse<float>("[]", DataType::kFp32, {0}).empty());
  EXPECT_TRUE(Parse<float>("[ ]", DataType::kFp32, {0, 3}).empty());
  EXPECT_TRUE(Parse<float>("[[],[]]", DataType::kFp32, {2, 0}).empty());
  EXPECT_TRUE(Parse<float>("[]", DataType::kFp32, {2, 0}).empty());
  EXPECT_TRUE(ParseStrings("[]", {0}).empty());
  EXPECT_EQ(FaultOf("[1]", DataType::kFp32, {0}), kWrongSize + "0 elements for shape [0], got 1");
  EXPECT_EQ(FaultOf("[[],[],[]]", DataType::kFp32, {2, 0}),
            kWrongSize + "2 elements in each list of dimension 0 for shape [2,0], got 3");
  EXPECT_NE(FaultOf("[[]]", DataType::kFp32, {0, 3}), "");
}

TEST(ParseTest, SaysExpectedAndGotCounts) {
  EXPECT_EQ(FaultOf("[true]", DataType::kBool, {3}), kWrongSize + "3 elements for shape [3], got 1");
  EXPECT_EQ(FaultOf("[1,2,3,4,5]", DataType::kInt32, {2, 2}), kWrongSize + "4 elements for shape [2,2], got 5");
  EXPECT_EQ(FaultOf("[[1,2],[3]]", DataType::kInt32, {2, 2}),
            kWrongSize + "2 elements in each list of dimension 1 for shape [2,2], got 1");
  EXPECT_EQ(FaultOf("[[1,2],[3,4,5,6]]", DataType::kInt32, {2, 2}),
            kWrongSize + "2 elements in each list of dimension 1 for shape [2,2], got 4");
  EXPECT_EQ(FaultOf("[[1,2]]", DataType::kInt32, {2, 2}),
            kWrongSize + "2 elements in each list of dimension 0 for shape [2,2], got 1");
  EXPECT_EQ(FaultOf("[[1,2],3]", DataType::kInt32, {2, 2}),
            "data element 2: expected a list of dimension 1 of shape [2,2], got a number");
  EXPECT_EQ(FaultOf("[1,[2],3,4]", DataType::kInt32, {2, 2}),
            "data element 1: expected data that is flat or nested as shape [2,2], got an array");
  EXPECT_NE(FaultOf("[[[1,2]],[[3,4]]]", DataType::kInt32, {2, 2}), "");
  EXPECT_NE(FaultOf("[[1],[2]]", DataType::kInt32, {2}), "");
  EXPECT_NE(FaultOf("[[1,2,3],[4,5,6]]", DataType::kInt32, {3, 2}), "");
}

TEST(ParseTest, RefusesMalformedArrays) {
  for (const std::string_view text :
       {"",     "{",    "{}", "[",   "[1",  "[1,",  "[1,]", "[,1]",   "[1 2]", "[1]]",  "[1],", "[1}",  "1",
        "null", "[1,2", "[-", "[1.", "[1e", "[01]", "[+1]", "[1,,2]", "[1e5",  "\"1\"", "[1]1", "[0x1]"}) {
    EXPECT_THAT(ParseData(text, DataType::kFp32, {1}).has_value(), false) << text;
    EXPECT_THAT(ParseData(text, DataType::kInt32, {1}).has_value(), false) << text;
    EXPECT_THAT(ParseData(text, DataType::kBytes, {1}).has_value(), false) << text;
  }
  for (const std::string_view text :
       {"[[1,2],[3,4]", "[[1,2],[3,4", "[[1,2][3,4]]", "[[1,2],]", "[[", "[[1,2],", "[[],["}) {
    EXPECT_THAT(ParseData(text, DataType::kFp32, {2, 2}).has_value(), false) << text;
  }
  EXPECT_EQ(FaultOf("[1 2]", DataType::kInt32, {2}), "data: expected ',' or ']' behind element 0, got a number");
  EXPECT_EQ(FaultOf("[1,]", DataType::kInt32, {2}), "data element 1: expected a value, got ']'");
}

TEST(ParseTest, AllocatesByTheTextNotByTheShape) {
  const int64_t huge = int64_t{1} << 40;
  EXPECT_EQ(FaultOf("[1]", DataType::kFp64, {huge}),
            kWrongSize + "1099511627776 elements for shape [1099511627776], got 1");
  EXPECT_NE(FaultOf("[\"a\"]", DataType::kBytes, {huge}), "");
  EXPECT_NE(FaultOf("[[],[]]", DataType::kFp64, {huge, 0}), "");
  EXPECT_THAT(FaultOf("[1]", DataType::kFp64, {huge, huge}), HasSubstr("more than 2^63 elements"));
  EXPECT_THAT(FaultOf("[1]", DataType::kFp64, {-1}), HasSubstr("negative"));
}

TEST(ParseTest, TakesExactIntegers) {
  EXPECT_THAT(Parse<uint64_t>("[0,-0,18446744073709551615]", DataType::kUint64, {3}),
              ElementsAre(0u, 0u, std::numeric_limits<uint64_t>::max()));
  EXPECT_THAT(Parse<int64_t>("[9223372036854775807,-9223372036854775808]", DataType::kInt64, {2}),
              ElementsAre(std::numeric_limits<int64_t>::max(), std::numeric_limits<int64_t>::min()));
  EXPECT_THAT(Parse<int8_t>("[-128,127]", DataType::kInt8, {2}), ElementsAre(-128, 127));
  EXPECT_THAT(Parse<uint8_t>("[255]", DataType::kUint8, {1}), ElementsAre(255));
  EXPECT_THAT(Parse<int16_t>("[-32768,32767]", DataType::kInt16, {2}), ElementsAre(-32768, 32767));
  EXPECT_THAT(Parse<uint16_t>("[65535]", DataType::kUint16, {1}), ElementsAre(65535));
  EXPECT_THAT(Parse<int32_t>("[-2147483648]", DataType::kInt32, {1}), ElementsAre(-2147483648));
  EXPECT_THAT(Parse<uint32_t>("[4294967295]", DataType::kUint32, {1}), ElementsAre(4294967295u));
}

TEST(ParseTest, RefusesIntegersThatDoNotFit) {
  const std::pair<DataType, const char*> cases[] = {{DataType::kUint8, "256"},
                                                    {DataType::kUint8, "-1"},
                                                    {DataType::kInt8, "128"},
                                                    {DataType::kInt8, "-129"},
                                                    {DataType::kUint16, "65536"},
                                                    {DataType::kInt16, "-32769"},
                                                    {DataType::kInt32, "2147483648"},
                                                    {DataType::kUint32, "4294967296"},
                                                    {DataType::kInt64, "9223372036854775808"},
                                                    {DataType::kInt64, "-9223372036854775809"},
                                                    {DataType::kUint64, "18446744073709551616"},
                                                    {DataType::kUint64, "20000000000000000000"},
                                                    {DataType::kUint64, "28446744073709551616"},
                                                    {DataType::kUint64, "99999999999999999999"},
                                                    {DataType::kUint64, "100000000000000000000"},
                                                    {DataType::kInt64, "-18446744073709551616"},
                                                    {DataType::kUint64, "184467440737095516160000000000"},
                                                    {DataType::kInt32, "1.0"},
                                                    {DataType::kInt32, "1e2"},
                                                    {DataType::kInt32, "1E2"},
                                                    {DataType::kInt32, "\"1\""},
                                                    {DataType::kInt32, "true"},
                                                    {DataType::kInt32, "null"},
                                                    {DataType::kInt32, "NaN"},
                                                    {DataType::kInt32, "-"},
                                                    {DataType::kInt32, "007"}};
  for (const auto& [type, text] : cases) {
    EXPECT_THAT(FaultOf("[" + std::string(text) + "]", type, {1}),
                HasSubstr("data element 0: expected an integer from "))
        << text;
  }
  EXPECT_EQ(FaultOf("[1,256]", DataType::kUint8, {2}), "data element 1: expected an integer from 0 to 255, got 256");
}

TEST(ParseTest, TakesOnlyBooleansForBool) {
  EXPECT_THAT(Parse<uint8_t>("[true,false, true]", DataType::kBool, {3}), ElementsAre(1, 0, 1));
  for (const char* text : {"1", "0", "\"true\"", "null", "True", "tru", "truefalse"}) {
    EXPECT_NE(FaultOf("[" + std::string(text) + "]", DataType::kBool, {1}), "") << text;
  }
  EXPECT_EQ(FaultOf("[1]", DataType::kBool, {1}), "data element 0: expected true or false, got 1");
}

TEST(ParseTest, RoundsFloatsOnce) {
  EXPECT_THAT(Parse<float>("[0.1,1e2,-0,16777217]", DataType::kFp32, {4}), ElementsAre(0.1f, 100, 0, 16777216));
  EXPECT_THAT(Parse<double>("[0.1,-1E-2]", DataType::kFp64, {2}), ElementsAre(0.1, -0.01));
  // Above the midpoint of two floats by less than a double's precision.
  EXPECT_THAT(Parse<float>("[1.00000005960464477539062500001]", DataType::kFp32, {1}), ElementsAre(1.00000012f));
  EXPECT_THAT(Parse<uint16_t>("[1,-2,65504,0.1]", DataType::kFp16, {4}), ElementsAre(0x3C00, 0xC000, 0x7BFF, 0x2E66));
  EXPECT_THAT(Parse<uint16_t>("[1,-2,0.1]", DataType::kBf16, {3}), ElementsAre(0x3F80, 0xC000, 0x3DCD));
}

TEST(ParseTest, RefusesFiniteNumbersThatOverflow) {
  EXPECT_EQ(FaultOf("[0,1e39]", DataType::kFp32, {2}),
            "data element 1: expected a number that FP32 can hold, got 1e39");
  EXPECT_NE(FaultOf("[-1e309]", DataType::kFp64, {1}), "");
  EXPECT_NE(FaultOf("[65520]", DataType::kFp16, {1}), "");
  EXPECT_NE(FaultOf("[3.4e38]", DataType::kBf16, {1}), "");
  EXPECT_THAT(Parse<float>("[1e-50]", DataType::kFp32, {1}), ElementsAre(0));
  EXPECT_THAT(Parse<uint16_t>("[65519]", DataType::kFp16, {1}), ElementsAre(0x7BFF));
}

TEST(ParseTest, TakesNonFiniteValuesAsAllowed) {
  const float infinity = std::numeric_limits<float>::infinity();
  const auto floats = Parse<float>(R"([NaN,Infinity,-Infinity,"NaN","Infinity","-Infinity"])", DataType::kFp32, {6});
  ASSERT_EQ(floats.size(), 6u);
  EXPECT_TRUE(std::isnan(floats[0]) && std::isnan(floats[3]));
  EXPECT_EQ(floats[1], infinity);
  EXPECT_EQ(floats[5], -infinity);
  EXPECT_THAT(Parse<uint16_t>("[NaN,-Infinity]", DataType::kFp16, {2}), ElementsAre(0x7E00, 0xFC00));
  EXPECT_THAT(Parse<uint16_t>("[NaN,-Infinity]", DataType::kBf16, {2}), ElementsAre(0x7FC0, 0xFF80));
  EXPECT_TRUE(std::isnan(Parse<double>("[null]", DataType::kFp64, {1}, {.null_as_nan = true})[0]));
  EXPECT_EQ(FaultOf("[null]", DataType::kFp64, {1}), "data element 0: expected a number that FP64 can hold, got null");
  EXPECT_NE(FaultOf("[NaN]", DataType::kFp64, {1}, {.nonfinite_tokens = false}), "");
  EXPECT_NE(FaultOf("[\"NaN\"]", DataType::kFp64, {1}, {.nonfinite_strings = false}), "");
  for (const char* text : {"[nan]", "[Inf]", "[-NaN]", "[+Infinity]", "[\"inf\"]", "[\"1\"]", "[NaNN]"}) {
    EXPECT_NE(FaultOf(text, DataType::kFp64, {1}), "") << text;
  }
}

TEST(ParseTest, PacksStrings) {
  EXPECT_THAT(ParseStrings(R"(["","a","b\u0000c","\ud83d\ude00",  "x,]["])", {5}),
              ElementsAre("", "a", std::string("b\0c", 3), "\xF0\x9F\x98\x80", "x,]["));
  EXPECT_THAT(ParseStrings(R"([["a"],["b"]])", {2, 1}), ElementsAre("a", "b"));
  EXPECT_EQ(FaultOf("[\"a\",1]", DataType::kBytes, {2}), "data element 1: expected a string, got a number");
  EXPECT_EQ(FaultOf("[\"a,b\",\"c\"]", DataType::kBytes, {1}), kWrongSize + "1 element for shape [1], got 2");
  EXPECT_NE(ParseData("[\"\xFF\"]", DataType::kBytes, {1}).has_value(), true);
}

TEST(ParseTest, DecodesBase64OnDemand) {
  EXPECT_THAT(ParseStrings(R"(["","AA==","Zm9v","\u005am9v"])", {4}, true),
              ElementsAre("", std::string("\0", 1), "foo", "foo"));
  EXPECT_EQ(FaultOf("[\"Zg\"]", DataType::kBytes, {1}, {.base64 = true}),
            "data element 0: expected base64 (content_type), got other characters or wrong padding");
  EXPECT_EQ(FaultOf("[1]", DataType::kInt8, {1}, {.base64 = true}),
            "data: content_type base64 needs datatype BYTES, got INT8");
}

TEST(ParseTest, FillsExactlyTheBufferOfDenseText) {
  for (const size_t count : {1u, 2u, 3u, 100u, 1000u}) {
    std::string numbers = "[1";
    std::string strings = "[\"\"";
    for (size_t i = 1; i < count; ++i) numbers += ",1", strings += ",\"\"";
    const Shape shape{static_cast<int64_t>(count)};
    EXPECT_EQ(Parse<double>(numbers + "]", DataType::kFp64, shape), std::vector<double>(count, 1.0));
    EXPECT_EQ(ParseStrings(strings + "]", shape), std::vector<std::string>(count));
  }
}

TEST(ParseTest, TellsTheKindOfAnError) {
  struct Case {
    const char* text;
    DataType type;
    Shape shape;
    DataFault fault;
  };
  const Case cases[] = {
      {"[1,2]", DataType::kInt32, {1}, DataFault::kWrongSize},
      {"[[1],[2,3]]", DataType::kFp32, {2, 1}, DataFault::kWrongSize},
      {"[]", DataType::kBytes, {1}, DataFault::kWrongSize},
      {"[7]", DataType::kBytes, {1}, DataFault::kNotAString},
      {"7", DataType::kBytes, {}, DataFault::kNotAString},
      {"[\"a\",null]", DataType::kBytes, {2}, DataFault::kNotAString},
      {"[\"\\x\"]", DataType::kBytes, {1}, DataFault::kOther},
      {"[[\"a\"]]", DataType::kBytes, {1}, DataFault::kNesting},
      {"[\"a\"]", DataType::kInt32, {1}, DataFault::kNotASignedInteger},
      {"[1.5]", DataType::kInt64, {1}, DataFault::kNotASignedInteger},
      {"[1e2]", DataType::kInt8, {1}, DataFault::kNotASignedInteger},
      {"[300]", DataType::kInt8, {1}, DataFault::kOther},
      {"[null]", DataType::kUint16, {1}, DataFault::kNotAnUnsignedInteger},
      {"[1,-1]", DataType::kUint32, {2}, DataFault::kNotAnUnsignedInteger},
      {"[true]", DataType::kFp32, {1}, DataFault::kNotANumber},
      {"[1e999]", DataType::kFp64, {1}, DataFault::kOther},
      {"[1]", DataType::kBool, {1}, DataFault::kNotABool},
      {"[tru]", DataType::kBool, {1}, DataFault::kOther},
      {"7", DataType::kInt32, {1}, DataFault::kOther},
  };
  for (const Case& each : cases) {
    DataFault fault = DataFault::kOther;
    EXPECT_NE(FaultOf(each.text, each.type, each.shape, {.fault = &fault}), "") << each.text;
    EXPECT_EQ(fault, each.fault) << each.text;
  }
}

}  // namespace
}  // namespace inferd::tensorjson

#include "data/tensorjson/nested_parser.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "data/tensor/bytes.h"

namespace inferd::tensorjson {
namespace {

using tensor::DataType;

// Returns the shape and elements of one value, or the error.
template <typename T>
std::string Parse(DataType type, const std::string& text) {
  NestedParser parser(type);
  const auto size = parser.Add(text);
  if (!size.has_value()) return size.error().message();
  EXPECT_LE(*size, text.size());
  std::string result = parser.shape().ToString();
  const base::Buffer buffer = parser.Take();
  for (size_t i = 0; i < buffer.size(); i += sizeof(T)) {
    T value;
    std::memcpy(&value, buffer.data() + i, sizeof(T));
    result += " " + std::to_string(value);
  }
  return result;
}

std::string Ints(const std::string& text) { return Parse<int32_t>(DataType::kInt32, text); }
std::string Floats(const std::string& text) { return Parse<float>(DataType::kFp32, text); }

std::string Texts(const std::string& text) {
  NestedParser parser(DataType::kBytes);
  const auto size = parser.Add(text);
  if (!size.has_value()) return size.error().message();
  std::string result = parser.shape().ToString();
  const base::Buffer buffer = parser.Take();
  for (const std::string_view element : tensor::PackedElements({buffer.data(), buffer.size()})) {
    result.append(" ").append(element);
  }
  return result;
}

TEST(NestedParserTest, TheNestingSaysTheShape) {
  EXPECT_EQ(Ints("7}"), "[] 7");
  EXPECT_EQ(Ints(" [ 1 , 2 ] "), "[2] 1 2");
  EXPECT_EQ(Ints("[[1,2,3],\n[4,5,6]]"), "[2,3] 1 2 3 4 5 6");
  EXPECT_EQ(Ints("[[[1]],[[2]]]"), "[2,1,1] 1 2");
  EXPECT_EQ(Ints("[]"), "[0]");
  EXPECT_EQ(Ints("[[],[]]"), "[2,0]");
}

TEST(NestedParserTest, TakesWhatIsBehindTheValueForNothing) {
  NestedParser parser(DataType::kInt32);
  EXPECT_EQ(parser.Add(" [1, 2],\"x\": 3}").value(), 7u);
  EXPECT_EQ(parser.Add("[3,4]").value(), 5u);
  EXPECT_EQ(parser.count(), 2u);
  EXPECT_EQ(parser.shape().ToString(), "[2]");
  EXPECT_EQ(parser.Take().size(), 16u);
}

TEST(NestedParserTest, RaggedListsAreRefusedInTensorflowServingsWords) {
  EXPECT_EQ(Ints("[[1,2],[3]]"), "Encountered list at unexpected size: 1 at level: 1 expected size: 2");
  EXPECT_EQ(Ints("[[1],[2,3,4]]"), "Encountered list at unexpected size: 3 at level: 1 expected size: 1");
  EXPECT_EQ(Ints("[[[1],[2]],[[3]]]"), "Encountered list at unexpected size: 1 at level: 1 expected size: 2");
  EXPECT_EQ(Ints("[[],[1]]"), "Encountered list at unexpected size: 1 at level: 1 expected size: 0");
  EXPECT_EQ(Ints("[1,[2]]"), "Encountered list at unexpected level: 1 expected < 1");
  EXPECT_EQ(Ints("[[1],[[2]]]"), "Encountered list at unexpected level: 2 expected < 2");
  EXPECT_EQ(Ints("[[1],2]"), "JSON Value: 2 found at incorrect level: 2 in the JSON DOM. Expected at level: 2");
  EXPECT_EQ(Ints("[[[1]],[2]]"), "JSON Value: 2 found at incorrect level: 3 in the JSON DOM. Expected at level: 3");
}

TEST(NestedParserTest, ValuesOfOneTensorAreOfOneShape) {
  NestedParser sizes(DataType::kInt32);
  EXPECT_TRUE(sizes.Add("[1,2]").has_value());
  EXPECT_EQ(sizes.Add("[1,2,3]").error().message(), "Expecting tensor size: 2 but got: 3");
  NestedParser shapes(DataType::kInt32);
  EXPECT_TRUE(shapes.Add("[1,2]").has_value());
  EXPECT_EQ(shapes.Add("[[1,2]]").error().message(), "Expecting shape [2] but got: [1,2]");
}

TEST(NestedParserTest, OnlyWhatTheDatatypeTakes) {
  EXPECT_EQ(Ints("[1.0]"), "JSON Value: 1.0 Type: Number is not of expected type: int32");
  EXPECT_EQ(Ints("[1e3]"), "JSON Value: 1e3 Type: Number is not of expected type: int32");
  EXPECT_EQ(Ints("[2147483648]"), "JSON Value: 2147483648 Type: Number is not of expected type: int32");
  EXPECT_EQ(Ints("[NaN]"), "JSON Value: NaN Type: Number is not of expected type: int32");
  EXPECT_EQ(Ints("[\"1\"]"), "JSON Value: \"1\" Type: String is not of expected type: int32");
  EXPECT_EQ(Ints("[null]"), "JSON Value: null Type: Null is not of expected type: int32");
  EXPECT_EQ(Ints("[true]"), "JSON Value: true Type: True is not of expected type: int32");
  EXPECT_EQ(Ints("[{\"a\": [1]}]"), "JSON Value: {\"a\": [1]} Type: Object is not of expected type: int32");
  EXPECT_EQ((Parse<int8_t>(DataType::kInt8, "[300]")), "JSON Value: 300 Type: Number is not of expected type: int8");
  EXPECT_EQ((Parse<uint8_t>(DataType::kUint8, "[-1]")), "JSON Value: -1 Type: Number is not of expected type: uint8");
  EXPECT_EQ((Parse<uint8_t>(DataType::kBool, "[1]")), "JSON Value: 1 Type: Number is not of expected type: bool");
  EXPECT_EQ(Floats("[\"NaN\"]"), "JSON Value: \"NaN\" Type: String is not of expected type: float");
  EXPECT_EQ(Floats("[1e39]"), "JSON Value: 1e39 Type: Number is not of expected type: float");
  EXPECT_EQ(Texts("[1]"), "JSON Value: 1 Type: Number is not of expected type: string");
}

TEST(NestedParserTest, LongValuesAreQuotedInPart) {
  const std::string message = Ints("[\"" + std::string(1000, 'x') + "\"]");
  EXPECT_LT(message.size(), 400u);
  EXPECT_TRUE(message.ends_with("... Type: String is not of expected type: int32")) << message;
}

TEST(NestedParserTest, EveryDatatype) {
  EXPECT_EQ((Parse<uint8_t>(DataType::kBool, "[true,false]")), "[2] 1 0");
  EXPECT_EQ((Parse<uint64_t>(DataType::kUint64, "[18446744073709551615]")), "[1] 18446744073709551615");
  EXPECT_EQ((Parse<int64_t>(DataType::kInt64, "[-9223372036854775808]")), "[1] -9223372036854775808");
  EXPECT_EQ((Parse<uint16_t>(DataType::kUint16, "[65535]")), "[1] 65535");
  EXPECT_EQ((Parse<uint16_t>(DataType::kFp16, "[1]")), "[1] 15360");
  EXPECT_EQ((Parse<uint16_t>(DataType::kBf16, "[1.0]")), "[1] 16256");
  EXPECT_EQ(Floats("[1, -2.5, 1e2]"), "[3] 1.000000 -2.500000 100.000000");
  EXPECT_EQ(Floats("[NaN, Infinity, -Infinity]"), "[3] nan inf -inf");
  EXPECT_EQ(Floats("[Inf, -Inf]"), "[2] inf -inf");
  EXPECT_EQ(Ints("[Inf]"), "JSON Value: Inf Type: Number is not of expected type: int32");
  EXPECT_EQ((Parse<double>(DataType::kFp64, "1.5 ")), "[] 1.500000");
}

TEST(NestedParserTest, TextAndBase64) {
  EXPECT_EQ(Texts(R"("foo")"), "[] foo");
  EXPECT_EQ(Texts(R"(["a\nb", "", "\u00e9"])"), "[3] a\nb  \xC3\xA9");
  EXPECT_EQ(Texts(R"([{"b64": "aGVsbG8="}, "plain", { "b64" : "" }])"), "[3] hello plain ");
  EXPECT_EQ(Texts(R"({"b64": "aGVsbG8="})"), "[] hello");
  EXPECT_EQ(Texts(R"([{"b64": "aGVsbG8=", "x": 1}])"),
            R"(JSON Value: {"b64": "aGVsbG8=", "x": 1} not formatted correctly for base64 data)");
  EXPECT_EQ(Texts(R"([{"b64": 1}])"), R"(JSON Value: {"b64": 1} not formatted correctly for base64 data)");
  EXPECT_EQ(Texts(R"([{}])"), "JSON Value: {} not formatted correctly for base64 data");
  EXPECT_EQ(Texts(R"([{"b64": "*"}])"), "Unable to base64 decode");
  EXPECT_EQ(Ints(R"([{"b64": "aGVsbG8="}])"),
            R"(JSON Value: {"b64": "aGVsbG8="} Type: Object is not of expected type: int32)");
}

TEST(NestedParserTest, DepthIsLimited) {
  const auto nested = [](size_t depth) { return std::string(depth, '[') + "1" + std::string(depth, ']'); };
  EXPECT_TRUE(NestedParser(DataType::kInt32).Add(nested(tensor::kRankMax)).has_value());
  EXPECT_EQ(Ints(nested(tensor::kRankMax + 1)), "Encountered list at unexpected level: 32 expected < 32");
  EXPECT_FALSE(NestedParser(DataType::kInt32).Add(std::string(1 << 20, '[')).has_value());
}

TEST(NestedParserTest, TextThatIsNoJsonIsRefused) {
  for (const char* text : {"",      " ",      "1",   "[", "[1",  "[1,",  "[1,]",  "[,1]", "[1 2]",     "[[1]",
                           "[[1],", "[[1],]", "[1}", "-", "[-]", "[01]", "[tru]", "[\"",  "\"\\u12\"", "[1]]]"}) {
    NestedParser numbers(DataType::kFp32);
    NestedParser texts(DataType::kBytes);
    EXPECT_EQ(numbers.Add(text).has_value(), std::string_view(text) == "[1]]]") << text;
    EXPECT_FALSE(texts.Add(text).has_value()) << text;
  }
}

// The memory for a tensor must grow with the elements read, whatever the hint.
TEST(NestedParserTest, ManyElementsWhateverTheHint) {
  std::string text = "[";
  for (int i = 0; i < 100'000; ++i) text += (i > 0 ? "," : "") + std::to_string(i);
  text += "]";
  for (const size_t hint : {size_t{0}, size_t{10}, size_t{100'000}, ~size_t{0}}) {
    NestedParser parser(DataType::kInt64, hint);
    ASSERT_TRUE(parser.Add(text).has_value());
    const base::Buffer buffer = parser.Take();
    ASSERT_EQ(buffer.size(), 800'000u);
    int64_t last = 0;
    std::memcpy(&last, buffer.data() + buffer.size() - 8, 8);
    EXPECT_EQ(last, 99'999);
  }
}

TEST(NestedParserTest, ManyTextsOfManySizes) {
  std::mt19937 random(7);
  std::string text = "[";
  std::vector<std::string> expected;
  for (int i = 0; i < 2'000; ++i) {
    expected.emplace_back(random() % 100, static_cast<char>('a' + i % 26));
    text += (i > 0 ? ",\"" : "\"") + expected.back() + "\"";
  }
  NestedParser parser(DataType::kBytes);
  ASSERT_TRUE(parser.Add(text + "]").has_value());
  const base::Buffer buffer = parser.Take();
  size_t i = 0;
  for (const std::string_view element : tensor::PackedElements({buffer.data(), buffer.size()})) {
    ASSERT_EQ(element, expected[i++]);
  }
  EXPECT_EQ(i, expected.size());
}

// Rows of pixels are read in batches. A line break after each comma prevents that, and must change nothing else.
TEST(NestedParserTest, RowsReadTogetherAreWhatTheyAreOneByOne) {
  std::mt19937 random(11);
  const std::vector<std::string> oddities = {"-1",  "1.5", "300", "]", "[",    "],[",
                                             "1e2", "",    "01",  " ", "null", "1234567"};
  for (int round = 0; round < 2000; ++round) {
    const size_t size = 1 + random() % 5;
    const bool spaced = random() % 2 == 0;
    std::string text = "[";
    for (size_t row = 0; row < 12; ++row) {
      text += row > 0 ? (spaced ? ", [" : ",[") : "[";
      for (size_t i = 0; i < size; ++i) {
        text += (i == 0 ? "" : spaced ? ", " : ",") + std::to_string(random() % 256);
      }
      text += "]";
    }
    text += "]";
    if (round % 2 == 1) text.insert(random() % text.size(), oddities[random() % oddities.size()]);
    std::string broken;
    for (const char c : text) broken += c == ',' ? std::string(",\n") : std::string(1, c);
    for (const DataType type : {DataType::kUint8, DataType::kFp32}) {
      NestedParser together(type);
      NestedParser one_by_one(type);
      const auto taken = together.Add(text + " }");
      const auto expected = one_by_one.Add(broken + " }");
      ASSERT_EQ(taken.has_value(), expected.has_value()) << text;
      if (!taken.has_value()) continue;
      EXPECT_EQ(together.shape(), one_by_one.shape()) << text;
      const base::Buffer left = together.Take();
      const base::Buffer right = one_by_one.Take();
      EXPECT_TRUE(std::ranges::equal(std::span(left.data(), left.size()), std::span(right.data(), right.size())))
          << text;
    }
  }
}

TEST(NestedParserTest, LenientIntegersAreCut) {
  NestedParser bytes(DataType::kInt8, 0, ValueRules::kLenient);
  ASSERT_TRUE(bytes.Add("[300, -129, 7]").has_value());
  const base::Buffer buffer = bytes.Take();
  const auto* values = reinterpret_cast<const int8_t*>(buffer.data());
  EXPECT_EQ(values[0], 44);
  EXPECT_EQ(values[1], 127);
  EXPECT_EQ(values[2], 7);
  EXPECT_FALSE(NestedParser(DataType::kUint16, 0, ValueRules::kLenient).Add("[1.0]").has_value());
  EXPECT_FALSE(NestedParser(DataType::kUint16, 0, ValueRules::kLenient).Add("[2147483648]").has_value());
  EXPECT_FALSE(NestedParser(DataType::kInt32, 0, ValueRules::kLenient).Add("[2147483648]").has_value());
}

TEST(NestedParserTest, LenientFloatsAreInfinite) {
  NestedParser floats(DataType::kFp32, 0, ValueRules::kLenient);
  ASSERT_TRUE(floats.Add("[1e39, -3.5e38, 3e38, -Infinity]").has_value());
  const base::Buffer buffer = floats.Take();
  const auto* values = reinterpret_cast<const float*>(buffer.data());
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  EXPECT_EQ(values[0], kInfinity);
  EXPECT_EQ(values[1], -kInfinity);
  EXPECT_EQ(values[2], 3e38f);
  EXPECT_EQ(values[3], -kInfinity);
  EXPECT_FALSE(NestedParser(DataType::kFp32).Add("[1e39]").has_value());
  for (const char* beyond : {"[1e400]", "[-1e400]", "[\"1\"]", "[-]"}) {
    EXPECT_FALSE(NestedParser(DataType::kFp32, 0, ValueRules::kLenient).Add(beyond).has_value()) << beyond;
  }
  EXPECT_FALSE(NestedParser(DataType::kFp64, 0, ValueRules::kLenient).Add("[1e400]").has_value());
  EXPECT_FALSE(NestedParser(DataType::kFp16, 0, ValueRules::kLenient).Add("[1e6]").has_value());
}

TEST(NestedParserTest, LenientBase64NeedsNoPadding) {
  NestedParser texts(DataType::kBytes, 0, ValueRules::kLenient);
  ASSERT_TRUE(texts.Add(R"([{"b64": "Zg"}, {"b64": "Zm9vYg=="}])").has_value());
  const base::Buffer buffer = texts.Take();
  std::vector<std::string> texts_read;
  for (const std::string_view text : tensor::PackedElements({buffer.data(), buffer.size()})) {
    texts_read.emplace_back(text);
  }
  EXPECT_EQ(texts_read, (std::vector<std::string>{"f", "foob"}));
  EXPECT_FALSE(NestedParser(DataType::kBytes).Add(R"([{"b64": "Zg"}])").has_value());
  EXPECT_FALSE(NestedParser(DataType::kBytes, 0, ValueRules::kLenient).Add(R"([{"b64": "!"}])").has_value());
}

}  // namespace
}  // namespace inferd::tensorjson

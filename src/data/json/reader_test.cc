#include "data/json/reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

namespace inferd::json {
namespace {

using ::testing::HasSubstr;

// Returns the error of skipping the whole text, or "".
std::string FaultOf(std::string_view text, const ReaderOptions& options = {}) {
  Reader reader(text, options);
  base::Status status = reader.SkipValue();
  if (status.ok()) status = reader.Finish();
  EXPECT_TRUE(status.ok() || status.code() == base::StatusCode::kInvalidArgument) << status.ToString();
  return status.message();
}

TEST(ReaderTest, AByteOrderMarkInFrontIsNothing) {
  Reader reader("\xef\xbb\xbf{\"a\":1}");
  ASSERT_TRUE(reader.BeginObject().ok());
  EXPECT_EQ(**reader.NextKey(), "a");
  EXPECT_EQ(*reader.ReadInt64(), 1);
  EXPECT_FALSE(reader.NextKey()->has_value());
  EXPECT_TRUE(reader.Finish().ok());
  Reader inside("[\xef\xbb\xbf]");
  ASSERT_TRUE(inside.BeginArray().ok());
  EXPECT_FALSE(inside.NextElement().has_value() && inside.SkipValue().ok()) << "elsewhere it is no white space";
  Reader half("\xef\xbb");
  EXPECT_FALSE(half.Peek().has_value());
}

TEST(ReaderTest, WalksAnObjectInAnyKeyOrder) {
  Reader reader(R"( {"id": "a\u00e9", "n":[1, -2 ,3], "x": {"deep":[{}]}, "ok" : true, "no":null} )");
  std::vector<std::string> keys;
  std::vector<int64_t> numbers;
  ASSERT_TRUE(reader.BeginObject().ok());
  while (true) {
    const auto key = reader.NextKey();
    ASSERT_TRUE(key.has_value()) << key.error().ToString();
    if (!*key) break;
    keys.emplace_back(**key);
    if (**key == "id") {
      EXPECT_EQ(reader.ReadString().value(), "a\xC3\xA9");
    } else if (**key == "n") {
      ASSERT_TRUE(reader.BeginArray().ok());
      while (reader.NextElement().value()) numbers.push_back(reader.ReadInt64().value());
    } else if (**key == "ok") {
      EXPECT_TRUE(reader.ReadBool().value());
    } else if (**key == "no") {
      EXPECT_TRUE(reader.ReadNull().ok());
    } else {
      EXPECT_EQ(reader.ReadRaw().value(), R"({"deep":[{}]})");
    }
  }
  EXPECT_TRUE(reader.Finish().ok());
  EXPECT_THAT(keys, ::testing::ElementsAre("id", "n", "x", "ok", "no"));
  EXPECT_THAT(numbers, ::testing::ElementsAre(1, -2, 3));
}

TEST(ReaderTest, AcceptsEveryKindOfValue) {
  for (const char* text : {"{}", "[]", "\"\"", "0", "-1.5e-3", "true", "false", "null", " [ ] ", "{\"a\":{\"a\":{}}}",
                           "[[],[[]],{}]", "\t\r\n1 ", "{\"\":0}", "\"\\u0000\""}) {
    EXPECT_EQ(FaultOf(text), "") << text;
  }
}

TEST(ReaderTest, RefusesMalformedTexts) {
  for (const char* text : {"",
                           " ",
                           "{",
                           "[",
                           "}",
                           "]",
                           "{]",
                           "[}",
                           "[1,]",
                           "[,1]",
                           "[1 2]",
                           "[1,,2]",
                           "{\"a\"}",
                           "{\"a\":}",
                           "{\"a\":1,}",
                           "{,}",
                           "{a:1}",
                           "{'a':1}",
                           "{\"a\":1 \"b\":2}",
                           "{\"a\" 1}",
                           "{1:2}",
                           "tru",
                           "True",
                           "nul",
                           "nulll",
                           "NaN",
                           "Infinity",
                           "-Infinity",
                           "01",
                           "1.",
                           "-",
                           "+1",
                           "0x1",
                           "1 2",
                           "[] []",
                           "\"",
                           "\"\n\"",
                           "\"\\x\"",
                           "\"\xFF\"",
                           "// c\n1",
                           "[1]x",
                           "\f1",
                           "[1}",
                           "{\"a\":1]",
                           "\"a\" \"b\"",
                           "1e",
                           ".5"}) {
    EXPECT_THAT(FaultOf(text), HasSubstr("JSON at byte ")) << text;
  }
  EXPECT_NE(FaultOf(std::string_view("1\0", 2)), "");
}

TEST(ReaderTest, SaysWhereAndWhat) {
  EXPECT_EQ(FaultOf("[1,]"), "JSON at byte 3: expected an element behind ',', got ']'");
  EXPECT_EQ(FaultOf("{\"a\":1 x"), "JSON at byte 7: expected ',' or '}' behind a member, got 'x'");
  EXPECT_EQ(FaultOf("[1] 2"), "JSON at byte 4: expected the end of the text, got a number");
  EXPECT_EQ(FaultOf("{\"a\":"), "JSON at byte 5: expected a value, got the end of the text");
  EXPECT_EQ(FaultOf("[01]"), "JSON at byte 1: malformed number");
  Reader reader("[true]");
  ASSERT_TRUE(reader.BeginArray().ok());
  ASSERT_TRUE(reader.NextElement().value());
  EXPECT_EQ(reader.ReadString().error().message(), "JSON at byte 1: expected a string, got true");
}

TEST(ReaderTest, RefusesRepeatedKeysEverywhere) {
  EXPECT_EQ(FaultOf(R"({"a":1,"a":2})"), "JSON at byte 7: repeated key 'a'");
  EXPECT_EQ(FaultOf(R"({"a":1,"\u0061":2})"), "JSON at byte 7: repeated key 'a'");
  EXPECT_NE(FaultOf(R"([{"x":{"b":1,"c":2,"b":3}}])"), "");
  EXPECT_EQ(FaultOf(R"({"a":{"a":{"b":1}},"b":{"a":2}})"), "");
  EXPECT_EQ(FaultOf(R"([{"a":1},{"a":2}])"), "");
}

TEST(ReaderTest, RefusesRepeatedKeysInLargeObjects) {
  for (const size_t count : {15u, 16u, 17u, 18u, 1000u}) {
    std::string members;
    for (size_t i = 0; i < count; ++i) members += "\"k" + std::to_string(i) + "\":{\"k0\":0},";
    EXPECT_EQ(FaultOf("{" + members + "\"last\":0}"), "") << count;
    EXPECT_THAT(FaultOf("{" + members + "\"k0\":0}"), HasSubstr("repeated key 'k0'")) << count;
    EXPECT_THAT(FaultOf("{" + members + "\"k" + std::to_string(count - 1) + "\":0}"), HasSubstr("repeated")) << count;
  }
}

TEST(ReaderTest, LimitsDepth) {
  const auto nested = [](size_t depth) { return std::string(depth, '[') + std::string(depth, ']'); };
  EXPECT_EQ(FaultOf(nested(64)), "");
  EXPECT_EQ(FaultOf(nested(65)), "JSON at byte 64: nested deeper than 64 levels");
  EXPECT_EQ(FaultOf(nested(100'000)), "JSON at byte 64: nested deeper than 64 levels");
  EXPECT_EQ(FaultOf("[[]]", {.depth_max = 2}), "");
  EXPECT_NE(FaultOf("[{\"a\":[]}]", {.depth_max = 2}), "");
}

TEST(ReaderTest, LimitsMembers) {
  EXPECT_EQ(FaultOf(R"({"a":1,"b":2})", {.members_max = 2}), "");
  EXPECT_THAT(FaultOf(R"({"a":1,"b":{"c":2}})", {.members_max = 2}), HasSubstr("more than 2 members"));
  EXPECT_EQ(FaultOf(R"([{"a":1,"b":2},{"a":1,"b":2}])", {.members_max = 2}), "");
}

TEST(ReaderTest, AcceptsNonFiniteTokensOnDemand) {
  const ReaderOptions options{.nonfinite_tokens = true};
  EXPECT_EQ(FaultOf("[NaN,Infinity,-Infinity,{\"a\":NaN}]", options), "");
  for (const char* text : {"nan", "-NaN", "+Infinity", "Inf", "-Inf", "NaN1", "Infinityy", "[NaN Infinity]"}) {
    EXPECT_NE(FaultOf(text, options), "") << text;
  }
  EXPECT_TRUE(std::isnan(Reader("NaN", options).ReadDouble().value()));
  EXPECT_EQ(Reader("-Infinity", options).ReadDouble().value(), -std::numeric_limits<double>::infinity());
  EXPECT_EQ(Reader("-Infinity", options).Peek().value(), ValueType::kNumber);
  EXPECT_FALSE(Reader("NaN", options).ReadInt64().has_value());
  EXPECT_FALSE(Reader("NaN").ReadDouble().has_value());
  const ReaderOptions with_short{.nonfinite_tokens = true, .short_infinity = true};
  EXPECT_EQ(FaultOf("[Inf,-Inf,Infinity,{\"a\":-Infinity}]", with_short), "");
  EXPECT_NE(FaultOf("Infx", with_short), "");
  EXPECT_EQ(Reader("-Inf", with_short).ReadDouble().value(), -std::numeric_limits<double>::infinity());
}

TEST(ReaderTest, ReadsIntegersExactly) {
  EXPECT_EQ(Reader("-9223372036854775808").ReadInt64().value(), std::numeric_limits<int64_t>::min());
  EXPECT_EQ(Reader("18446744073709551615").ReadUint64().value(), std::numeric_limits<uint64_t>::max());
  EXPECT_EQ(Reader("-0").ReadUint64().value(), 0u);
  EXPECT_THAT(Reader("9223372036854775808").ReadInt64().error().message(), HasSubstr("out of range"));
  EXPECT_THAT(Reader("-1").ReadUint64().error().message(),
              HasSubstr("byte 0: expected an unsigned 64-bit integer, got -1"));
  EXPECT_FALSE(Reader("18446744073709551616").ReadUint64().has_value());
  EXPECT_FALSE(Reader("1.0").ReadInt64().has_value());
  EXPECT_FALSE(Reader("1e3").ReadInt64().has_value());
}

TEST(ReaderTest, ReadsNumbersByTheirKind) {
  EXPECT_EQ(Reader("7").ReadNumber().value(), Number(int64_t{7}));
  EXPECT_EQ(Reader("9223372036854775808").ReadNumber().value(), Number(uint64_t{9223372036854775808u}));
  EXPECT_EQ(Reader("18446744073709551616").ReadNumber().value(), Number(18446744073709551616.0));
  EXPECT_EQ(Reader("1.0").ReadNumber().value(), Number(1.0));
  EXPECT_EQ(Reader("0.1").ReadDouble().value(), 0.1);
  EXPECT_THAT(Reader("1e999").ReadDouble().error().message(), HasSubstr("1e999 is too large"));
  EXPECT_FALSE(Reader("-1e999").ReadNumber().has_value());
  EXPECT_EQ(Reader("1e-999").ReadDouble().value(), 0.0);
}

TEST(ReaderTest, PeeksWithoutConsuming) {
  Reader reader(" [\"x\", 1]");
  EXPECT_EQ(reader.Peek().value(), ValueType::kArray);
  EXPECT_EQ(reader.Peek().value(), ValueType::kArray);
  ASSERT_TRUE(reader.BeginArray().ok());
  ASSERT_TRUE(reader.NextElement().value());
  EXPECT_EQ(reader.Peek().value(), ValueType::kString);
  EXPECT_EQ(reader.ReadString().value(), "x");
}

TEST(ReaderTest, LetsAnotherParserTakeAValue) {
  Reader reader("{\"data\": [1,2] , \"n\":3}");
  ASSERT_TRUE(reader.BeginObject().ok());
  ASSERT_EQ(*reader.NextKey().value(), "data");
  EXPECT_TRUE(reader.Rest().starts_with("[1,2]"));
  reader.Advance(5);
  ASSERT_EQ(*reader.NextKey().value(), "n");
  EXPECT_EQ(reader.ReadInt64().value(), 3);
  EXPECT_FALSE(reader.NextKey().value().has_value());
  EXPECT_TRUE(reader.Finish().ok());
}

TEST(ReaderTest, KeepsDecodedStrings) {
  Reader reader(R"(["\u0041","\u0042","plain"])");
  ASSERT_TRUE(reader.BeginArray().ok());
  std::vector<std::string_view> all;
  while (reader.NextElement().value()) all.push_back(reader.ReadString().value());
  EXPECT_THAT(all, ::testing::ElementsAre("A", "B", "plain"));
}

TEST(RepeatedKeyTest, IsTheDecodedKeyOfARefusal) {
  std::string many;
  for (int i = 0; i < 40; ++i) many += "\"k" + std::to_string(i) + "\":0,";
  const std::pair<std::string, std::string> cases[] = {
      {R"({"a":1,"b":2,"a":3})", "a"},
      {R"({"a":1,"\u0061":3})", "a"},
      {"{" + many + "\"k7\":1}", "k7"},
      {R"({"a":1,"a")", "a"},
  };
  for (const auto& [text, key] : cases) {
    Reader reader(text);
    EXPECT_FALSE(reader.SkipValue().ok() && reader.Finish().ok()) << text;
    EXPECT_EQ(reader.repeated_key(), key) << text;
  }
  for (const char* text : {R"({"a":1})", R"({"a":1,})", R"({"a":{"a":1}})", R"({"a")"}) {
    Reader reader(text);
    (void)(reader.SkipValue().ok() && reader.Finish().ok());
    EXPECT_EQ(reader.repeated_key().data(), nullptr) << text;
  }
}

}  // namespace
}  // namespace inferd::json

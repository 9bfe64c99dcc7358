#include "data/json/writer.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace inferd::json {
namespace {

TEST(WriterTest, SeparatesMembersAndElements) {
  Writer writer;
  writer.BeginObject();
  writer.Key("a");
  writer.BeginArray();
  writer.Int(-1);
  writer.Uint(std::numeric_limits<uint64_t>::max());
  writer.BeginObject();
  writer.EndObject();
  writer.BeginArray();
  writer.EndArray();
  writer.Null();
  writer.EndArray();
  writer.Key("b");
  writer.Bool(true);
  writer.Key("c");
  writer.Raw("[1]");
  writer.Key("d");
  writer.Double(0.1);
  writer.EndObject();
  const std::string expected = R"({"a":[-1,18446744073709551615,{},[],null],"b":true,"c":[1],"d":0.1})";
  EXPECT_EQ(writer.size(), expected.size());
  EXPECT_EQ(writer.TakeString(), expected);
}

TEST(WriterTest, EscapesStrings) {
  Writer writer;
  writer.String(std::string_view("q\"b\\\n\x01\0\x1F\x7F\xC3\xA9/", 12));
  EXPECT_EQ(writer.TakeString(), "\"q\\\"b\\\\\\n\\u0001\\u0000\\u001f\x7F\xC3\xA9/\"");
}

TEST(WriterTest, EscapesKeysWhereverTheyComeFrom) {
  Writer writer;
  writer.BeginObject();
  writer.Member("say \"a\"\n", 1);
  writer.Member(std::string("say \"b\"\n"), 2);
  writer.Member(std::string_view("c\xff"), 3);
  writer.Member("d\xff", 4);
  writer.Member("\xc3\xa9", 5);
  writer.Member("", 6);
  writer.EndObject();
  EXPECT_EQ(writer.TakeString(),
            "{\"say \\\"a\\\"\\n\":1,\"say \\\"b\\\"\\n\":2,\"c\xEF\xBF\xBD\":3,\"d\xEF\xBF\xBD\":4,"
            "\"\xc3\xa9\":5,\"\":6}");
  static_assert(KeyText("plain").plain());
  static_assert(!KeyText("a\"b").plain());
}

TEST(WriterTest, ReplacesOrReportsMalformedUtf8) {
  Writer writer;
  EXPECT_FALSE(writer.StringIfUtf8("a\xFF"));
  EXPECT_EQ(writer.size(), 0u);
  writer.String("a\xFF\xC3\xA9\xE2\x82");
  EXPECT_EQ(writer.TakeString(), "\"a\xEF\xBF\xBD\xC3\xA9\xEF\xBF\xBD\xEF\xBF\xBD\"");
}

TEST(WriterTest, WritesNoNumberForNonFiniteDoubles) {
  Writer writer;
  writer.BeginArray();
  writer.Double(std::nan(""));
  writer.Double(-std::numeric_limits<double>::infinity());
  writer.Double(-std::numeric_limits<double>::denorm_min());
  writer.EndArray();
  EXPECT_EQ(writer.TakeString(), "[null,null,-5e-324]");
}

TEST(WriterTest, HandsOverChunksInOrder) {
  Writer writer(64);
  std::string expected;
  for (int i = 0; i < 5000; ++i) {
    writer.Int(i);
    expected += (i == 0 ? "" : ",") + std::to_string(i);
  }
  EXPECT_EQ(writer.size(), expected.size());
  std::string text;
  const Writer::Chunks chunks = writer.Take();
  EXPECT_GT(chunks.size(), 1u);
  for (const base::BufferSlice& chunk : chunks) text += chunk.view();
  EXPECT_EQ(text, expected);
}

TEST(WriterTest, OneChunkWithinTheHint) {
  Writer writer(10'000);
  for (int i = 0; i < 1000; ++i) writer.String("12345");
  EXPECT_EQ(writer.Take().size(), 1u);
  EXPECT_EQ(writer.size(), 0u);
  EXPECT_TRUE(writer.Take().empty());
}

TEST(WriterTest, IsAsNewWhenTaken) {
  Writer writer;
  writer.Int(1);
  EXPECT_EQ(writer.TakeString(), "1");
  writer.Int(2);
  EXPECT_EQ(writer.TakeString(), "2");
}

}  // namespace
}  // namespace inferd::json

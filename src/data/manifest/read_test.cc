#include "data/manifest/read.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "data/manifest/print.h"

namespace inferd::manifest {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

// Returns the documents as JSON, one per line, or the error.
std::string Compact(const base::Result<std::vector<Value>>& documents) {
  if (!documents.has_value()) return documents.error().message();
  std::string lines;
  for (const Value& document : *documents) lines += (lines.empty() ? "" : "\n") + ToJson(document);
  return lines;
}

struct YamlCase {
  const char* yaml;
  const char* json;
};
class ReadYamlTest : public testing::TestWithParam<YamlCase> {};

TEST_P(ReadYamlTest, ReadsAsKubernetesDoes) { EXPECT_EQ(Compact(ReadYaml(GetParam().yaml, "f")), GetParam().json); }

INSTANTIATE_TEST_SUITE_P(
    Values, ReadYamlTest,
    testing::Values(YamlCase{"a: 1\nb: [x, 'y', \"z\"]\n", R"({"a":1,"b":["x","y","z"]})"},
                    YamlCase{"z: 1\na: 2\n", R"({"z":1,"a":2})"},  // the order is kept
                    YamlCase{"a: 1\n---\nb: 2\n---\n---\nc: 3\n", "{\"a\":1}\n{\"b\":2}\n{\"c\":3}"},
                    YamlCase{"# nothing\n", ""}, YamlCase{"", ""},
                    YamlCase{"a: yes\nb: off\nc: y\nd: True\n", R"({"a":true,"b":false,"c":true,"d":true})"},
                    YamlCase{"a: 'yes'\nb: \"1\"\n", R"({"a":"yes","b":"1"})"},
                    YamlCase{"a: ~\nb:\nc: null\n", R"({"a":null,"b":null,"c":null})"},
                    YamlCase{"a: 1.0\nb: 1e3\nc: -0\n", R"({"a":1.0,"b":1e3,"c":-0})"},  // as written
                    YamlCase{"a: 0x1F\nb: 0777\nc: 0o17\nd: 0b101\n", R"({"a":31,"b":511,"c":15,"d":5})"},
                    YamlCase{"a: +1\nb: .5\nc: 1.\nd: 089\ne: 1_000\n", R"({"a":1,"b":0.5,"c":1.0,"d":89,"e":1000})"},
                    YamlCase{"a: 100m\nb: 2Gi\nc: 1.2.3\nd: 12:30\n",
                             R"({"a":"100m","b":"2Gi","c":"1.2.3","d":"12:30"})"},
                    YamlCase{"a: 2001-01-01\n", R"({"a":"2001-01-01"})"},
                    YamlCase{"yes: 1\n1: 2\n", R"({"yes":1,"1":2})"},  // keys are strings
                    YamlCase{"a: !!str 1\nb: !!int 7\n", R"({"a":"1","b":7})"},
                    YamlCase{"a: \"x\\Ny\\_\\L\\x85\"", "{\"a\":\"x\xC2\x85y\xC2\xA0\xE2\x80\xA8\xC2\x85\"}"},
                    YamlCase{"a: |\n  x\n  y\nb: >-\n  x\n  y\n", "{\"a\":\"x\\ny\\n\",\"b\":\"x y\"}"},
                    YamlCase{"a: &x [1]\nb: *x\n", R"({"a":[1],"b":[1]})"},
                    YamlCase{"a: &x {p: 1, q: 2}\nb: {<<: *x, q: 3}\n", R"({"a":{"p":1,"q":2},"b":{"q":3,"p":1}})"},
                    YamlCase{"b: {<<: [{p: 1}, {p: 2, q: 3}]}\n", R"({"b":{"p":1,"q":3}})"},
                    YamlCase{"{\"a\": {\"b\": [1, true]}}", R"({"a":{"b":[1,true]}})"}));

struct FaultCase {
  const char* text;
  const char* message;
};
class YamlFaultTest : public testing::TestWithParam<FaultCase> {};

TEST_P(YamlFaultTest, IsRefusedWithItsPlace) {
  EXPECT_THAT(Compact(ReadYaml(GetParam().text, "f")), StartsWith(GetParam().message));
}

INSTANTIATE_TEST_SUITE_P(
    Faults, YamlFaultTest,
    testing::Values(FaultCase{"a:\n  b: 1\n  b: 2\n", "f:3:3: a.b: is given twice"}, FaultCase{"a: [1\nb: 2\n", "f:2:"},
                    FaultCase{"a: .inf\n", "f:1:4: a: the number '.inf'"},
                    FaultCase{"a: [{b: !secret x}]\n", "f:1:9: a[0].b: the tag '!secret' does not fit here"},
                    FaultCase{"a: !!binary aGk=\n", "f:1:4: a: the tag 'tag:yaml.org,2002:binary' does not fit here"},
                    FaultCase{"? [1]\n: 2\n", "f:1:3: a key must be a string"},
                    FaultCase{"~: 2\n", "f:1:1: a key is missing"}, FaultCase{",", "f:1:1: a value cannot begin so"},
                    FaultCase{"a: 1\n---\n,\n", "f:3:1: a value cannot begin so"},
                    FaultCase{"a: &x\n  b: *x\n", "f:2:6: a.b: an alias refers to what it is part of"},
                    FaultCase{"a: *unknown\n", "f:1:"}, FaultCase{"a: {<<: 1}\n", "f:1:9: a.<<: '<<' takes a map"},
                    FaultCase{"a: \xff\n", "f:1:4: not UTF-8: byte 0xff"},
                    FaultCase{"a: 1\nb: \x04\n", "f:2:4: a control character: byte 0x04"}));

class JsonFaultTest : public testing::TestWithParam<FaultCase> {};

TEST_P(JsonFaultTest, IsRefusedWithItsPlace) {
  EXPECT_THAT(Compact(Read(GetParam().text, "f")), StartsWith(GetParam().message));
}

INSTANTIATE_TEST_SUITE_P(Faults, JsonFaultTest,
                         testing::Values(FaultCase{"{\"a\": {\n \"b\": 1,\n \"b\": 2}}", "f:3:2: a: repeated key 'b'"},
                                         FaultCase{"{\"a\": 01}", "f:1:7: a: malformed number"},
                                         FaultCase{"{\"a\": 1", "f:1:8: "},
                                         FaultCase{"{\"a\": [1, }]}", "f:1:11: a[1]: expected a value, got '}'"},
                                         FaultCase{"{\"a\": 1} x", "f:1:10: expected a value"}));

TEST(ReadTest, JsonTextsFollowEachOther) {
  EXPECT_EQ(Compact(Read(" {\"a\": 1.50}\n{\"b\": [\"\\u00e9\", null]} ", "f")), "{\"a\":1.50}\n{\"b\":[\"é\",null]}");
}

TEST(ReadTest, ValuesKnowTheirPlace) {
  const auto documents = Read("a: 1\n---\nb:\n  - c: 2\n", "f");
  ASSERT_TRUE(documents.has_value());
  const Value& item = documents->at(1).Find("b")->items().at(0);
  EXPECT_EQ(item.Find("c")->position().line, 4);
  EXPECT_EQ(item.Find("c")->position().column, 8);
  const auto json = Read("{\"b\":\n  [{\"c\": 2}]}", "f");
  ASSERT_TRUE(json.has_value());
  const Value& number = *json->at(0).Find("b")->items().at(0).Find("c");
  EXPECT_EQ(number.position().line, 2);
  EXPECT_EQ(number.position().column, 10);
}

TEST(ReadTest, AliasesThatExplodeAreRefused) {
  std::string laughs = "a: &a [lol, lol, lol, lol, lol, lol, lol, lol, lol, lol]\n";
  for (char c = 'b'; c <= 'k'; ++c) {
    const std::string before(1, static_cast<char>(c - 1));
    laughs += std::string(1, c) + ": &" + c + " [";
    for (int i = 0; i < 10; ++i) laughs += (i == 0 ? "*" : ", *") + before;
    laughs += "]\n";
  }
  EXPECT_THAT(Compact(Read(laughs, "f")), HasSubstr("the file has more than 1000000 values"));
  EXPECT_THAT(Compact(Read("a: &a " + std::string(2'000'000, 'x') + "\nb: [*a, *a, *a, *a, *a, *a, *a, *a]\n", "f")),
              HasSubstr("the file has more than 16000000 bytes of text"));
}

TEST(ReadTest, AnchorsInEachOtherAreRefused) {
  std::string text;
  for (int i = 0; i < 60; ++i) text += "&a" + std::to_string(i) + " [";
  for (int i = 0; i < 20'000; ++i) text += "x, ";
  EXPECT_THAT(Compact(Read(text + std::string(60, ']'), "f")), HasSubstr("the file has more than 1000000 values"));
}

TEST(ReadTest, LimitsHoldForBothForms) {
  const Limits limits = {.file_bytes_max = 60, .depth_max = 3, .members_max = 2, .nodes_max = 8};
  for (const auto read : {ReadYaml, ReadJson}) {
    const auto error = [&](std::string_view text) { return Compact(read(text, "f", limits)); };
    EXPECT_EQ(error("[[[1]]]"), "[[[1]]]");
    EXPECT_EQ(error("[[[[1]]]]"), "f:1:4: [0][0][0]: is nested more than 3 levels deep");
    EXPECT_EQ(error("{\"a\": 1, \"b\": 1}"), R"({"a":1,"b":1})");
    EXPECT_THAT(error("{\"a\": 1, \"b\": 1, \"c\": 1}"), HasSubstr("c: the map has more than 2 members"));
    EXPECT_EQ(error("[1, 1, 1, 1, 1, 1, 1]"), "[1,1,1,1,1,1,1]");
    EXPECT_THAT(error("[1, 1, 1, 1, 1, 1, 1, 1]"), HasSubstr("the file has more than 8 values"));
    EXPECT_EQ(error(std::string(61, ' ')), "f: the file has more than 60 bytes");
  }
}

TEST(ReadTest, DeepTextIsRefusedBeforeItIsCostly) {
  EXPECT_THAT(Compact(Read(std::string(100, '[') + std::string(100, ']'), "f")),
              HasSubstr("is nested more than 64 levels deep"));
  EXPECT_FALSE(Read(std::string(100'000, '['), "f").has_value());
  std::string maps;
  for (int i = 0; i < 100'000; ++i) maps += "{\"a\":";
  EXPECT_THAT(Compact(Read(maps, "f")), HasSubstr("is nested more than 64 levels deep"));
}

TEST(ReadTest, AFileThatIsNotThereIsNotFound) {
  const auto documents = ReadFile("/no/such/file.yaml");
  ASSERT_FALSE(documents.has_value());
  EXPECT_EQ(documents.error().code(), base::StatusCode::kNotFound);
}

}  // namespace
}  // namespace inferd::manifest

#include "data/manifest/print.h"

#include <gtest/gtest.h>

#include "data/manifest/read.h"

namespace inferd::manifest {
namespace {

Value Parsed(std::string_view yaml) {
  auto documents = ReadYaml(yaml, "f");
  EXPECT_TRUE(documents.has_value()) << (documents.has_value() ? "" : documents.error().message());
  return documents.has_value() && documents->size() == 1 ? documents->front() : Value();
}

TEST(PrintTest, YamlIsInBlockStyle) {
  const std::string yaml = R"(apiVersion: serving.kserve.io/v1beta1
kind: InferenceService
metadata:
  name: a
  annotations: {}
spec:
  predictor:
    containers:
    - name: kserve-container
      args:
      - "--model_name={{.Name}}"
      - a b
      env:
      - name: X
        value: "1"
    - - 1
      - - 2.50
        - []
    minReplicas: 0
    note: null
    "on": true
)";
  EXPECT_EQ(ToYaml(Parsed(yaml)), yaml);
}

class StringTest : public testing::TestWithParam<std::string> {};

TEST_P(StringTest, ReadsBack) {
  Value list = Value::List({Value::String(GetParam()), Value::Int(1)});
  Value map = Value::Map();
  map.Set("text", Value::String(GetParam()));
  map.Set(GetParam(), list);
  EXPECT_EQ(Parsed(ToYaml(map)), map) << ToYaml(map);
  const auto json = ReadJson(ToJson(map), "f");
  ASSERT_TRUE(json.has_value());
  EXPECT_EQ(json->at(0), map);
}

INSTANTIATE_TEST_SUITE_P(Texts, StringTest,
                         testing::Values("a", "", " ", "a b", "a  b", " a", "a ", "yes", "Null", "~", "1", "0x1", "1e3",
                                         "1.5", ".5", "-", "--", "- a", "---", "...", "a: b", "a:b", "a:", ":a", "a #b",
                                         "a#b", "#a", "? a", "?", "!a", "&a", "*a", "%a", "@a", "`a`", "[a]", "{a}",
                                         "{{.Name}}", "'a'", "\"a\"", "a\"b", "a\\b", "a,b", "|", ">", "<<", "=", "é",
                                         "日本", "\xc2\x85", "\xe2\x80\xa8", "\xef\xbb\xbf", "a\tb", "\t", "a\nb",
                                         "a\nb\n", "a\n\n", "\n", "\na", "a\n b\n", "a\n\n\nb\n\n\n", "a \nb",
                                         "{\n  \"x\": 1\n}", "a\n\tb", "2001-01-01", "12:30", "1:30:00",
                                         "http://a/b?c=d", "a\x7f", "key: |\n  x\n", "a\n#b\n", "a\n---\nb\n",
                                         "a\n...\n"));

TEST(PrintTest, KeysOfAnyLengthReadBack) {
  for (const std::string& key : {std::string(999, 'k'), std::string(1'500, 'k'), std::string(400, '\r')}) {
    Value inner = Value::Map();
    inner.Set(key, Value::List({Value::Int(1), Value::Map(), Value::String("a\nb\n")}));
    inner.Set("x" + key, Value::String("text"));
    inner.Set("y" + key, Value::List());
    Value map = Value::Map();
    map.Set(key, inner);
    map.Set("list", Value::List({inner, inner}));
    map.Set("after", Value::Int(2));
    EXPECT_EQ(Parsed(ToYaml(map)), map) << ToYaml(map);
  }
}

TEST(PrintTest, ATextMayBeAWholeDocument) {
  for (const char* text : {"a", "a\nd:...\n", "", "x\n---\ny", "...", "... a", "...a", "---", "%a"}) {
    const auto documents = ReadYaml(ToYaml(Value::String(text)), "f");
    ASSERT_TRUE(documents.has_value() && documents->size() == 1) << text;
    EXPECT_EQ(documents->front(), Value::String(text));
  }
}

TEST(PrintTest, NumbersStayAsTheyAre) {
  const Value document = Parsed("a: 1.50\nb: 1E+2\nc: 100000000000000000000000\n");
  EXPECT_EQ(ToYaml(document), "a: 1.50\nb: 1E+2\nc: 100000000000000000000000\n");
  EXPECT_EQ(ToJson(document), R"({"a":1.50,"b":1E+2,"c":100000000000000000000000})");
}

}  // namespace
}  // namespace inferd::manifest

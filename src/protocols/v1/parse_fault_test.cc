#include "protocols/v1/parse_fault.h"

#include <gtest/gtest.h>

#include <string>

namespace inferd::v1 {
namespace {

std::string Fault(std::string_view body) {
  const auto fault = FindParseFault(body);
  return fault.has_value() ? std::to_string(fault->offset) + ": " + std::string(fault->what) : "";
}

TEST(ParseFaultTest, WhatIsJsonHasNone) {
  for (const char* body : {"{}", "[]", " {\"a\": [1, -2.5e+3, 0, {}], \"b\": {\"c\": null}} ", "[NaN, Inf, -Infinity]",
                           "\"\\ud83d\\ude00\\n\"", "{} and what follows", "[true, false]"}) {
    EXPECT_EQ(Fault(body), "") << body;
  }
}

TEST(ParseFaultTest, AreInTheWordsOfTheOtherReader) {
  EXPECT_EQ(Fault("garbage"), "0: Invalid value.");
  EXPECT_EQ(Fault("  "), "2: The document is empty.");
  EXPECT_EQ(Fault("{\"instances\": [1,]}"), "17: Invalid value.");
  EXPECT_EQ(Fault("{\"instances\": [1, nul]}"), "21: Invalid value.");
  EXPECT_EQ(Fault("{\"instances\": [1 2]}"), "17: Missing a comma or ] after an array element.");
  EXPECT_EQ(Fault("{\"instances\": [1"), "16: Missing a comma or ] after an array element.");
  EXPECT_EQ(Fault("{\"instances\" [1]}"), "13: Missing a colon after a name of object member.");
  EXPECT_EQ(Fault("{instances: [1]}"), "1: Missing a name for object member.");
  EXPECT_EQ(Fault("{\"a\": 1,}"), "8: Missing a name for object member.");
  EXPECT_EQ(Fault("{\"a\": 1 \"b\": 2}"), "8: Missing a comma or } after an object member.");
  EXPECT_EQ(Fault("{\"a\": }"), "6: Invalid value.");
  EXPECT_EQ(Fault("[01]"), "2: Missing a comma or ] after an array element.");
  EXPECT_EQ(Fault("[1.]"), "3: Miss fraction part in number.");
  EXPECT_EQ(Fault("[1e]"), "3: Miss exponent in number.");
  EXPECT_EQ(Fault("[Infinite]"), "8: Invalid value.");
  EXPECT_EQ(Fault("[\"a]"), "4: Missing a closing quotation mark in string.");
  EXPECT_EQ(Fault("[\"a\\x\"]"), "3: Invalid escape character in string.");
  EXPECT_EQ(Fault("[\"\\u12g4\"]"), "2: Incorrect hex digit after \\u escape in string.");
  EXPECT_EQ(Fault("[\"\\ud800x\"]"), "2: The surrogate pair in string is invalid.");
  EXPECT_EQ(Fault("[\"a\nb\"]"), "3: Invalid escape character in string.");
}

TEST(ParseFaultTest, OnlyErrorsOfParsingAreSaidAnew) {
  const auto parse = base::InvalidArgument("JSON Parse error: expected a value, got ']' at offset: 3");
  EXPECT_EQ(InServingWords(parse, "[1,]"), base::InvalidArgument("JSON Parse error: Invalid value. at offset: 3"));
  EXPECT_EQ(InServingWords(parse, "[1]"), parse) << "it is no syntax error";
  const auto deep = base::InvalidArgument("JSON Parse error: nested deeper than 64 levels at offset: 64");
  EXPECT_EQ(InServingWords(deep, "[[["), deep) << "it is a limit of ours";
  const auto empty = base::InvalidArgument("JSON Parse error: The document is empty");
  EXPECT_EQ(InServingWords(empty, ""), empty);
  const auto other = base::InvalidArgument("Missing 'inputs' or 'instances' key");
  EXPECT_EQ(InServingWords(other, "[1,]"), other);
}

TEST(ParseFaultTest, NestingIsNoRecursion) {
  EXPECT_EQ(Fault(std::string(1000000, '[')), "1000000: Invalid value.");
  EXPECT_EQ(Fault(std::string(5000000, '[')), "");
}

}  // namespace
}  // namespace inferd::v1

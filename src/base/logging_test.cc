#include "base/logging.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace inferd::base {
namespace {

class LoggingTest : public ::testing::Test {
 protected:
  std::string Write(LogFormat format, std::string_view message, std::initializer_list<LogField> fields) {
    const std::string path = ::testing::TempDir() + "/log_" + std::to_string(::getpid());
    std::filesystem::remove(path);
    auto logger = Logger::Create({format, path}).value();
    logger->Info(message, fields);
    logger->Verbose("hidden");
    std::ifstream file(path);
    std::stringstream text;
    text << file.rdbuf();
    return text.str();
  }
};

TEST_F(LoggingTest, FieldsCannotForgeALine) {
  const std::string text = Write(LogFormat::kHuman, "request", {{"id", "a\nE forged"}, {"model", "m"}});
  EXPECT_NE(text.find(R"(request id="a\\nE forged" model=m)"), std::string::npos) << text;
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 1);
}

TEST_F(LoggingTest, LinesAsTritonsHavePlaceAndQuotes) {
  const std::string text = Write(LogFormat::kTriton, "say \"hi\"", {{"k", "v w"}});
  EXPECT_THAT(text, ::testing::MatchesRegex("I[01][0-9][0-3][0-9] [0-9]+:[0-9]+:[0-9]+\\.[0-9]+ [0-9]+ "
                                            "[a-z]+\\.cc:[0-9]+\\] \"say .*\"\n"));
  EXPECT_NE(text.find(R"("say \"hi\" k=\"v w\"")"), std::string::npos) << text;
  EXPECT_THAT(Write(LogFormat::kTritonIso8601, "m", {}),
              ::testing::MatchesRegex("20[0-9-]+T[0-9:]+Z I [0-9]+ [a-z]+\\.cc:[0-9]+\\] \"m\"\n"));
}

TEST_F(LoggingTest, JsonLinesEscape) {
  const std::string text = Write(LogFormat::kJson, "say \"hi\"", {{"k", "v\\"}});
  EXPECT_NE(text.find(R"("level":"info","message":"say \"hi\"","k":"v\\"})"), std::string::npos) << text;
}

TEST_F(LoggingTest, NumbersAreNumbersInJson) {
  const std::initializer_list<LogField> fields = {
      {"status", 404}, {"bytes", size_t{1} << 40}, {"left", int64_t{-1}}, {"text", "12"}};
  EXPECT_NE(Write(LogFormat::kJson, "m", fields).find(R"("status":404,"bytes":1099511627776,"left":-1,"text":"12"})"),
            std::string::npos);
  EXPECT_NE(Write(LogFormat::kHuman, "m", fields).find("m status=404 bytes=1099511627776 left=-1 text=12\n"),
            std::string::npos);
}

TEST_F(LoggingTest, NumbersThatClientsSendAreNumbersOrNull) {
  const std::pair<std::string, std::string> kCases[] = {
      {"3", "3"},      {"-7", "-7"},   {"007", "7"},    {"", "null"},
      {"abc", "null"}, {" 1", "null"}, {"1.5", "null"}, {"99999999999999999999", "null"}};
  for (const auto& [text, json] : kCases) {
    const std::string line = Write(LogFormat::kJson, "m", {{"version", LogValue::NumberIn(text)}});
    EXPECT_NE(line.find("\"version\":" + json + "}"), std::string::npos) << text << " in " << line;
  }
  EXPECT_NE(Write(LogFormat::kHuman, "m", {{"version", LogValue::NumberIn("a b")}}).find("m version=\"a b\"\n"),
            std::string::npos);
  EXPECT_NE(Write(LogFormat::kHuman, "m", {{"version", LogValue::NumberIn("")}}).find("m version=\"\"\n"),
            std::string::npos);
}

TEST_F(LoggingTest, FieldsMayBeLeftOut) {
  const std::initializer_list<LogField> fields = {
      {"model", "m", /*in_message=*/true}, {"", "nothing"}, {"reason", "r"}};
  EXPECT_NE(Write(LogFormat::kHuman, "loaded 'm'", fields).find("loaded 'm' reason=r\n"), std::string::npos);
  EXPECT_NE(Write(LogFormat::kJson, "loaded 'm'", fields).find(R"("message":"loaded 'm'","model":"m","reason":"r"})"),
            std::string::npos);
}

TEST_F(LoggingTest, WhatClientsSentIsPrintableAndCut) {
  const std::string id = "\x1b[2J\x7f\xff" + std::string(3 << 20, 'x');
  for (const LogFormat format : {LogFormat::kHuman, LogFormat::kJson}) {
    const std::string text = Write(format, "model 'a\x1b[31m\n\xff' " + std::string(3 << 20, 'y'), {{"id", id}});
    EXPECT_LT(text.size(), 25'000);
    for (const char c : text.substr(0, text.size() - 1)) ASSERT_TRUE(c >= ' ' && c <= '~') << static_cast<int>(c);
    EXPECT_NE(text.find(R"(\\x1b[2J\\x7f\\xffxxx)"), std::string::npos);
    EXPECT_NE(text.find("(3145734 bytes)"), std::string::npos);
  }
}

TEST_F(LoggingTest, BadFileIsAnError) {
  EXPECT_EQ(Logger::Create({LogFormat::kHuman, "/dev/null/file"}).error().code(), StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace inferd::base

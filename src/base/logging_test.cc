#include "base/logging.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace inferd::base {
namespace {

class LoggingTest : public testing::Test {
 protected:
  std::string Write(LogFormat format, std::string_view message, std::initializer_list<LogField> fields) {
    const std::string path = testing::TempDir() + "/log_" + std::to_string(::getpid());
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
  EXPECT_NE(text.find(R"(request id="a\u000aE forged" model=m)"), std::string::npos) << text;
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 1);
}

TEST_F(LoggingTest, JsonLinesEscape) {
  const std::string text = Write(LogFormat::kJson, "say \"hi\"", {{"k", "v\\"}});
  EXPECT_NE(text.find(R"("level":"info","message":"say \"hi\"","k":"v\\"})"), std::string::npos) << text;
}

TEST_F(LoggingTest, BadFileIsAnError) {
  EXPECT_EQ(Logger::Create({LogFormat::kHuman, "/dev/null/file"}).error().code(), StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace inferd::base

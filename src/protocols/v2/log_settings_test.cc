#include "protocols/v2/log_settings.h"

#include <gtest/gtest.h>

namespace inferd::v2 {
namespace {

std::string Error(std::string name, core::ParameterValue value) {
  const auto settings = ReadLogSettings({{"log_info", true}, {std::move(name), std::move(value)}});
  return settings.has_value() ? "" : settings.error().message();
}

TEST(ReadLogSettingsTest, TakesWhatCanBeChanged) {
  const auto settings = ReadLogSettings({{"log_info", false},
                                         {"log_warning", true},
                                         {"log_verbose_level", int64_t{3}},
                                         {"log_format", std::string("default")}});
  ASSERT_TRUE(settings.has_value());
  EXPECT_EQ(settings->info, false);
  EXPECT_EQ(settings->warning, true);
  EXPECT_EQ(settings->error, std::nullopt);
  EXPECT_EQ(settings->verbose_level, 3);
  EXPECT_EQ(settings->format, base::LogFormat::kTriton);
  EXPECT_EQ(ReadLogSettings({{"log_format", std::string("ISO8601")}})->format, base::LogFormat::kTritonIso8601);
  EXPECT_EQ(ReadLogSettings({{"log_verbose_level", uint64_t{1}}})->verbose_level, 1);
}

TEST(ReadLogSettingsTest, NamesTheSettingAndWhatIsWrong) {
  EXPECT_EQ(Error("log_error", int64_t{1}), "log setting 'log_error': expected true or false, got 1");
  EXPECT_EQ(Error("log_verbose_level", true),
            "log setting 'log_verbose_level': expected a level from 0 to 2147483647, got true");
  EXPECT_NE(Error("log_verbose_level", int64_t{-1}), "");
  EXPECT_NE(Error("log_verbose_level", uint64_t{1} << 31), "");
  EXPECT_NE(Error("log_verbose_level", 1.0), "");
  EXPECT_EQ(Error("log_format", std::string("json")),
            "log setting 'log_format': expected 'default' or 'ISO8601', got 'json'");
  EXPECT_EQ(Error("log_file", std::string("/tmp/x")),
            "log setting 'log_file': log file location can not be updated through network protocol");
  EXPECT_EQ(Error("log_colour", true), "log setting 'log_colour': unknown log setting");
}

TEST(ApplyLogSettingsTest, ShowsInWhatIsInForce) {
  const auto logger = base::Logger::Silent();
  EXPECT_TRUE(
      ApplyLogSettings({.info = true, .warning = {}, .error = {}, .verbose_level = 2, .format = {}}, *logger).ok());
  const core::Parameters expected = {{"log_file", std::string()},
                                     {"log_info", true},
                                     {"log_warning", false},
                                     {"log_error", false},
                                     {"log_verbose_level", uint64_t{2}},
                                     {"log_format", std::string("default")}};
  EXPECT_EQ(LogSettingsInForce(*logger), expected);
}

// Switches between Triton's formats; a log in another format is "default" and stays so.
TEST(ApplyLogSettingsTest, TheFormOfLines) {
  const LogSettings iso8601{
      .info = true, .warning = {}, .error = {}, .verbose_level = {}, .format = base::LogFormat::kTritonIso8601};
  LogSettings triton = iso8601;
  triton.format = base::LogFormat::kTriton;
  const auto log = base::Logger::Create({.format = base::LogFormat::kTriton, .file = "/dev/null"}).value();
  EXPECT_TRUE(ApplyLogSettings(iso8601, *log).ok());
  EXPECT_EQ(log->format(), base::LogFormat::kTritonIso8601);
  EXPECT_EQ(LogSettingsInForce(*log).back().second, core::ParameterValue(std::string("ISO8601")));
  EXPECT_TRUE(ApplyLogSettings(triton, *log).ok());
  EXPECT_EQ(log->format(), base::LogFormat::kTriton);

  const auto own = base::Logger::Create({.format = base::LogFormat::kJson, .file = "/dev/null"}).value();
  own->SetEnabled(base::LogLevel::kInfo, false);
  EXPECT_EQ(ApplyLogSettings(iso8601, *own).message(),
            "log setting 'log_format': expected 'default', got 'ISO8601': the log has none of Triton's forms");
  EXPECT_FALSE(own->Enabled(base::LogLevel::kInfo)) << "all or nothing";
  EXPECT_TRUE(ApplyLogSettings(triton, *own).ok());
  EXPECT_EQ(own->format(), base::LogFormat::kJson);
}

}  // namespace
}  // namespace inferd::v2

#include "ctl/settings.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <sstream>
#include <string>
#include <vector>

#include "tests/support/temp_dir.h"

namespace inferd::ctl {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class SettingsTest : public ::testing::Test {
 protected:
  SettingsTest() {
    app_.add_option("-u,--url", url_);
    app_.add_option("--ca,--ca-file", ca_);
    app_.add_option("--timeout", timeout_)->check(CLI::PositiveNumber);
    app_.add_option("--header", headers_)->allow_extra_args(false);
    app_.add_option("--token", token_);
    app_.add_option("--token-file", token_file_);
    app_.add_flag("--insecure", insecure_);
  }
  ~SettingsTest() override {
    for (const std::string& name : variables_) ::unsetenv(name.c_str());
  }

  void SetVariable(const std::string& name, const std::string& value) {
    variables_.push_back(name);
    ::setenv(name.c_str(), value.c_str(), 1);
  }

  // Parses a command line, then the environment and a settings file with that text, unless it is empty.
  base::Status Read(std::vector<std::string> arguments, const std::string& text = "") {
    std::ranges::reverse(arguments);
    app_.parse(arguments);
    if (text.empty()) return ApplySettings(app_, "", false, err_);
    folder_.Write("settings.toml", text);
    return ApplySettings(app_, file(), true, err_);
  }

  std::string file() const { return folder_.path() / "settings.toml"; }

  support::TempDir folder_;
  CLI::App app_;
  std::ostringstream err_;
  std::vector<std::string> variables_;
  std::string url_ = "default", ca_, token_, token_file_;
  std::vector<std::string> headers_;
  double timeout_ = 1;
  bool insecure_ = false;
};

TEST_F(SettingsTest, TheCommandLineIsBeforeTheEnvironmentAndThatBeforeTheFile) {
  SetVariable("INFERCTL_URL", "http://environment");
  SetVariable("INFERCTL_CA_FILE", "environment.pem");
  const auto status = Read({"--url", "http://line"}, "url = http://file\nca = file.pem\ntimeout = 7\n");
  ASSERT_TRUE(status.ok()) << status.message();
  EXPECT_EQ(url_, "http://line");
  EXPECT_EQ(ca_, "environment.pem");
  EXPECT_EQ(timeout_, 7);
}

TEST_F(SettingsTest, AnEmptyVariableIsNone) {
  SetVariable("INFERCTL_URL", "");
  ASSERT_TRUE(Read({}).ok());
  EXPECT_EQ(url_, "default");
}

TEST_F(SettingsTest, AFileHasFlagsCommentsAndSeveralHeaders) {
  const auto status = Read({},
                           "# mine\n"
                           "insecure = true\n"
                           "header = \"X-A: one # two, three\"\n"
                           "\n"
                           "url = 'http://h:1/a'\n"
                           "header = \"X-B: 2\"\n");
  ASSERT_TRUE(status.ok()) << status.message();
  EXPECT_TRUE(insecure_);
  EXPECT_THAT(headers_, ElementsAre("X-A: one # two, three", "X-B: 2"));
  EXPECT_EQ(url_, "http://h:1/a");
}

TEST_F(SettingsTest, FlagsAreInTheEnvironmentToo) {
  SetVariable("INFERCTL_INSECURE", "1");
  ASSERT_TRUE(Read({}).ok());
  EXPECT_TRUE(insecure_);
}

TEST_F(SettingsTest, OneTokenReplacesTheOther) {
  SetVariable("INFERCTL_TOKEN", "environment");
  ASSERT_TRUE(Read({"--token-file", "line"}, "token = file\n").ok());
  EXPECT_EQ(token_file_, "line");
  EXPECT_EQ(token_, "");
}

TEST_F(SettingsTest, AnErrorNamesItsPlace) {
  const struct {
    const char* text;
    const char* said;
  } kCases[] = {
      {"tokn = a\n", ": there is no option 'tokn' (did you mean 'token'?)"},
      {"url: http://h\n", ": there is no option 'url: http://h'"},
      {"[bench]\nurl = a\n", ": there is no option '[bench]'"},
      {"timeout = -1\n", ": --timeout: "},
      {"timeout = 1\ntimeout = 2\n", ": --timeout: "},
      {"token = a b\n", ": --token: "},
      {"help = true\n", ": there is no option 'help'"},
  };
  for (const auto& c : kCases) {
    const auto status = Read({}, c.text);
    EXPECT_EQ(status.code(), base::StatusCode::kInvalidArgument) << c.text;
    EXPECT_THAT(status.message(), HasSubstr(file() + c.said));
    app_.clear();
  }
  SetVariable("INFERCTL_TIMEOUT", "soon");
  EXPECT_THAT(Read({}).message(), HasSubstr("INFERCTL_TIMEOUT: "));
}

TEST_F(SettingsTest, OnlyANamedFileHasToBeThere) {
  EXPECT_TRUE(ApplySettings(app_, file(), false, err_).ok());
  EXPECT_EQ(ApplySettings(app_, file(), true, err_).code(), base::StatusCode::kNotFound);
}

TEST_F(SettingsTest, ATokenThatAnyoneCanReadIsWarnedOf) {
  using std::filesystem::perms;
  folder_.Write("settings.toml", "token = secret\n");
  std::filesystem::permissions(file(), perms::owner_read);
  ASSERT_TRUE(ApplySettings(app_, file(), true, err_).ok());
  EXPECT_EQ(err_.str(), "");
  app_.clear();
  std::filesystem::permissions(file(), perms::owner_read | perms::others_read);
  ASSERT_TRUE(ApplySettings(app_, file(), true, err_).ok());
  EXPECT_THAT(err_.str(), HasSubstr("any user of this machine can read the token in " + file()));
  EXPECT_EQ(token_, "secret");
}

TEST(DefaultSettingsFileTest, IsInTheUsersConfiguration) {
  const char* const home = std::getenv("HOME");
  const std::string before = home == nullptr ? "" : home;
  ::setenv("HOME", "/home/u", 1);
  ::unsetenv("XDG_CONFIG_HOME");
  EXPECT_EQ(DefaultSettingsFile(), "/home/u/.config/inferctl.toml");
  ::setenv("XDG_CONFIG_HOME", "/x", 1);
  EXPECT_EQ(DefaultSettingsFile(), "/x/inferctl.toml");
  ::unsetenv("XDG_CONFIG_HOME");
  ::setenv("HOME", before.c_str(), 1);
}

}  // namespace
}  // namespace inferd::ctl

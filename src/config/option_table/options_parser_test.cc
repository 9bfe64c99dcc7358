#include "config/option_table/options_parser.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "config/options/options_fixture.h"
#include "config/personality.h"

namespace inferd::config {
namespace options_parser_test {

using std::chrono::milliseconds;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

// A file that is removed at the end of the test.
class TemporaryFile {
 public:
  explicit TemporaryFile(const std::string& text)
      : path_(std::filesystem::temp_directory_path() / ("options_" + std::to_string(getpid()) + ".yaml")) {
    std::ofstream(path_) << text;
  }
  ~TemporaryFile() { std::filesystem::remove(path_); }
  std::string path() const { return path_.string(); }

 private:
  std::filesystem::path path_;
};

TEST(OptionsParserTest, ReadsFlagsInBothForms) {
  const auto parsed = Parse({"--model-repository=a=/models", "--model-repository", "/more/", "--http-port", "0",
                             "--http=true", "--access-log", "--body-bytes-max=2GiB", "--idle-timeout=250ms",
                             "--log-format", "json", "--readiness=x,y", "m.onnx"});
  ASSERT_TRUE(parsed.has_value()) << parsed.error().ToString();
  const ServerOptions& options = parsed->options;
  ASSERT_EQ(options.repositories.size(), 2u);
  EXPECT_EQ(options.repositories[0].name, "a");
  EXPECT_EQ(options.repositories[0].path, "/models");
  EXPECT_EQ(options.repositories[1].name, "more");
  EXPECT_EQ(options.http.port, 0);
  EXPECT_TRUE(options.log.access);
  EXPECT_EQ(options.limits.body_bytes_max, uint64_t{2} << 30);
  EXPECT_EQ(options.limits.idle_timeout, milliseconds(250));
  EXPECT_EQ(options.log.format, base::LogFormat::kJson);
  EXPECT_EQ(options.readiness, ReadinessMode::kNamed);
  EXPECT_THAT(options.readiness_models, ElementsAre("x", "y"));
  EXPECT_THAT(options.model_files, ElementsAre("m.onnx"));
  EXPECT_EQ(options.personality, &DefaultPersonality());
}

TEST(OptionsParserTest, ReadinessIsAWordOrNames) {
  EXPECT_EQ(Parse({"m.onnx"})->options.readiness, ReadinessMode::kTried);
  EXPECT_EQ(Parse({"--readiness=all", "m.onnx"})->options.readiness, ReadinessMode::kAll);
  EXPECT_EQ(Parse({"--as=tritonserver", "--model-repository=/m"})->options.readiness, ReadinessMode::kAll);
}

TEST(OptionsParserTest, SourcesAreWhatMainWasGiven) {
  std::string program = "/bin/inferd", argument = "m.onnx", variable = "INFERD_NAME=a=b", odd = "ODD";
  char* argv[] = {program.data(), argument.data(), nullptr};
  char* environment[] = {variable.data(), odd.data(), nullptr};
  const OptionSources sources = CommandLineSources(2, argv, environment);
  EXPECT_EQ(sources.program_name, "/bin/inferd");
  EXPECT_THAT(sources.arguments, ElementsAre("m.onnx"));
  EXPECT_THAT(sources.environment, ElementsAre(::testing::Pair("INFERD_NAME", "a=b")));
  EXPECT_EQ(ParseServerOptions(sources)->options.server_name, "a=b");
}

TEST(OptionsParserTest, FlagBeatsEnvironmentBeatsFileBeatsPersonality) {
  const TemporaryFile file(
      "http: {port: 1, address: 1.1.1.1}\nname: file\nmodel-repository: [/a, /b]\npoll_interval: 7s\n");
  const auto parsed =
      Parse({"--config", file.path(), "--as=tritonserver", "--http-port=3", "--model-control-mode=poll"},
            {{"INFERD_HTTP_PORT", "2"}, {"INFERD_NAME", "env"}, {"INFERD_ISOLATION", "engine-process"}, {"HOME", "/"}});
  ASSERT_TRUE(parsed.has_value()) << parsed.error().ToString();
  EXPECT_EQ(parsed->options.http.port, 3);
  EXPECT_EQ(parsed->options.server_name, "env");
  EXPECT_EQ(parsed->options.isolation, Isolation::kEngineProcess);
  EXPECT_EQ(parsed->options.http.address, "1.1.1.1");
  EXPECT_EQ(parsed->options.poll_interval, milliseconds(7000));
  EXPECT_EQ(parsed->options.repositories.size(), 2u);
  EXPECT_EQ(parsed->options.default_max_batch_size, 4);
  EXPECT_TRUE(parsed->options.exit_on_error);
}

TEST(OptionsParserTest, UnknownOptionsNameTheNearestOne) {
  EXPECT_THAT(ErrorOf({"m.onnx", "--http-prot=1"}),
              HasSubstr("unknown option --http-prot (did you mean '--http-port'?)"));
  EXPECT_THAT(ErrorOf({"m.onnx", "--zzzzzz"}), Not(HasSubstr("did you mean")));
  EXPECT_THAT(ErrorOf({"m.onnx", "--log-format=jsn"}),
              HasSubstr("--log-format: expected human|json|triton|triton-iso8601, got 'jsn' (did you mean 'json'?)"));
}

TEST(OptionsParserTest, WhatWrongOptionsEndWithIsThePersonalitys) {
  EXPECT_EQ(UsageExitStatus({.program_name = "inferd", .arguments = {}, .environment = {}}), 2);
  EXPECT_EQ(UsageExitStatus({.program_name = "inferd", .arguments = {"--as=trtserver", "-x"}, .environment = {}}), 1);
  EXPECT_EQ(UsageExitStatus({.program_name = "/bin/trtserver", .arguments = {}, .environment = {}}), 1);
  EXPECT_EQ(UsageExitStatus({.program_name = "i", .arguments = {}, .environment = {{"INFERD_AS", "trtserver"}}}), 1);
  EXPECT_EQ(UsageExitStatus({.program_name = "inferd", .arguments = {"--as=none"}, .environment = {}}), 2);
}

TEST(OptionsParserTest, BadValuesNameTheOptionExpectedAndGot) {
  EXPECT_THAT(ErrorOf({"m", "--http-port=70000"}),
              HasSubstr("--http-port: expected a whole number from 0 to 65535, got '70000'"));
  EXPECT_THAT(ErrorOf({"m", "--http-port"}), HasSubstr("--http-port needs a value"));
  EXPECT_THAT(ErrorOf({"m", "--body-bytes-max=1XB"}), HasSubstr("got '1XB'"));
  EXPECT_THAT(ErrorOf({"m", "--body-bytes-max=99999999999GiB"}), HasSubstr("expected bytes"));
  EXPECT_THAT(ErrorOf({"m", "--idle-timeout=soon"}), HasSubstr("expected a time"));
  EXPECT_THAT(ErrorOf({"m", "--exit-on-error=maybe"}), HasSubstr("expected true or false"));
}

TEST(OptionsParserTest, AFilesErrorsNamePlaceAndField) {
  const TemporaryFile unknown("http:\n  prot: 1\n");
  EXPECT_THAT(ErrorOf({"m", "--config=" + unknown.path()}),
              HasSubstr(unknown.path() + ":2:3: http.prot: unknown option (did you mean 'http-port'?)"));
  const TemporaryFile wrong("http:\n  port: many\n");
  EXPECT_THAT(ErrorOf({"m", "--config=" + wrong.path()}),
              HasSubstr(wrong.path() + ":2:9: http.port: expected a whole number"));
  const TemporaryFile broken("http: {port: 1\n");
  EXPECT_THAT(ErrorOf({"m", "--config=" + broken.path()}), HasSubstr(broken.path() + ":"));
  const TemporaryFile twice("http-port: 1\nhttp: {port: 1}\n");
  EXPECT_THAT(ErrorOf({"m", "--config=" + twice.path()}), HasSubstr("given twice"));
  const TemporaryFile list("http-port: [1, 2]\n");
  EXPECT_THAT(ErrorOf({"m", "--config=" + list.path()}), HasSubstr("takes one value"));
  EXPECT_THAT(ErrorOf({"m", "--config=/nowhere.yaml"}), HasSubstr("cannot read '/nowhere.yaml'"));
}

TEST(OptionsParserTest, KubernetesServiceVariablesAreIgnored) {
  const auto parsed = Parse({"m"}, {{"INFERD_HTTP_PORT", "tcp://10.0.0.1:80"}, {"INFERD_SERVICE_HOST", "10.0.0.1"}});
  ASSERT_TRUE(parsed.has_value()) << parsed.error().ToString();
  EXPECT_EQ(parsed->options.http.port, 8000);
  EXPECT_EQ(parsed->warnings.size(), 2u);
}

TEST(OptionsParserTest, HelpShowsEveryOptionWithItsDefaultInAHundredColumns) {
  const std::string help = ServerOptionsHelp(DefaultPersonality());
  EXPECT_THAT(help, HasSubstr("--http-port PORT"));
  EXPECT_THAT(help, HasSubstr("[8000]"));
  EXPECT_THAT(help, HasSubstr("[1GiB]"));
  EXPECT_THAT(ServerOptionsHelp(TritonserverPersonality()), HasSubstr("--repository-poll-secs"));
  for (size_t at = 0; at < help.size();) {
    const size_t end = help.find('\n', at);
    EXPECT_LE(end - at, 100u) << help.substr(at, end - at);
    at = end + 1;
  }
  EXPECT_EQ(Parse({"--help"})->action, OptionAction::kHelp);
  EXPECT_EQ(Parse({"--version"})->action, OptionAction::kVersion);
}

}  // namespace options_parser_test
}  // namespace inferd::config

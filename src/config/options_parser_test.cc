#include "config/options_parser.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "config/personality.h"

namespace inferd::config {
namespace {

using std::chrono::milliseconds;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

base::Result<ParsedOptions> Parse(std::vector<std::string> arguments,
                                  std::map<std::string, std::string> environment = {}, std::string program = "inferd") {
  return ParseServerOptions({std::move(program), std::move(arguments), std::move(environment)});
}

std::string ErrorOf(std::vector<std::string> arguments) {
  const auto parsed = Parse(std::move(arguments));
  return parsed.has_value() ? "" : parsed.error().message();
}

// A file that is gone with the test.
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
            {{"INFERD_HTTP_PORT", "2"}, {"INFERD_NAME", "env"}, {"HOME", "/"}});
  ASSERT_TRUE(parsed.has_value()) << parsed.error().ToString();
  EXPECT_EQ(parsed->options.http.port, 3);
  EXPECT_EQ(parsed->options.server_name, "env");
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
              HasSubstr("--log-format: expected human|json, got 'jsn' (did you mean 'json'?)"));
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

TEST(OptionsParserTest, ContradictionsAreErrors) {
  EXPECT_THAT(ErrorOf({}), HasSubstr("nothing to serve"));
  EXPECT_THAT(ErrorOf({"m", "--http-port=1", "--http-port=2"}), HasSubstr("given twice"));
  EXPECT_THAT(ErrorOf({"m", "--http-port=9", "--metrics-port=9"}),
              HasSubstr("--http-port and --metrics-port are both 9"));
  EXPECT_THAT(ErrorOf({"m", "--load-model=x"}), HasSubstr("--model-control-mode=explicit"));
  EXPECT_THAT(ErrorOf({"m", "--poll-interval=1s", "--model-control-mode=none"}), HasSubstr("--poll-interval needs"));
  EXPECT_THAT(ErrorOf({"m", "--http-tls-key=k"}), HasSubstr("go together"));
  EXPECT_THAT(ErrorOf({"m", "--http=false", "--grpc=false"}), HasSubstr("nothing to listen on"));
  EXPECT_THAT(ErrorOf({"m", "--repository-poll-secs=1"}), HasSubstr("of tritonserver; here it is '--poll-interval'"));
  EXPECT_THAT(ErrorOf({"m", "--as=tritonservr"}), HasSubstr("did you mean 'tritonserver'?"));
  EXPECT_THAT(ErrorOf({"--model-repository=/a/x", "--model-repository=/b/x"}), HasSubstr("two model repositories"));
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

TEST(OptionsParserTest, TheProgramsNameChoosesThePersonality) {
  const auto parsed = Parse({"--model-store=/models", "--strict-readiness=false", "--exit-timeout-secs", "5",
                             "--log-verbose=1", "--allow-gpu-metrics=false", "--http-port", "8100"},
                            {}, "/usr/bin/tritonserver");
  ASSERT_TRUE(parsed.has_value()) << parsed.error().ToString();
  EXPECT_EQ(parsed->options.personality, &TritonserverPersonality());
  EXPECT_EQ(parsed->options.server_name, "triton");
  EXPECT_EQ(parsed->options.control_mode, ControlMode::kNone);
  EXPECT_EQ(parsed->options.poll_interval, milliseconds(15'000));
  EXPECT_EQ(parsed->options.readiness, ReadinessMode::kServer);
  EXPECT_EQ(parsed->options.drain_timeout, milliseconds(5'000));
  EXPECT_THAT(parsed->warnings, ElementsAre());
  EXPECT_THAT(parsed->notes, ElementsAre("--allow-gpu-metrics=false has no effect: there are no GPUs here"));
}

TEST(OptionsParserTest, RestrictionsNameGroupsHeaderAndValue) {
  const auto parsed =
      Parse({"m", "--http-restricted-api=health,shared-memory:X-Key=a=b:c", "--http-restricted-api=logging:K=v",
             "--access-token-file=/etc/tokens", "--access-token-file=trace,metrics:./other"},
            {{"INFERD_GRPC_RESTRICTED_PROTOCOL", "health,metadata:a=1;inference:b=2"}});
  ASSERT_TRUE(parsed.has_value()) << parsed.error().ToString();
  const AccessOptions& access = parsed->options.access;
  ASSERT_EQ(access.http_rules.size(), 2u);
  EXPECT_THAT(access.http_rules[0].groups, ElementsAre(EndpointGroup::kHealth, EndpointGroup::kSharedMemory));
  EXPECT_EQ(access.http_rules[0].header, "X-Key");
  EXPECT_EQ(access.http_rules[0].value, "a=b:c");
  ASSERT_EQ(access.grpc_rules.size(), 2u);
  EXPECT_EQ(access.grpc_rules[1].header, "b");
  ASSERT_EQ(access.token_rules.size(), 2u);
  EXPECT_TRUE(access.token_rules[0].groups.empty());
  EXPECT_EQ(access.token_rules[1].file, "./other");
  EXPECT_THAT(access.token_rules[1].groups, ElementsAre(EndpointGroup::kTrace, EndpointGroup::kMetrics));
}

TEST(OptionsParserTest, MistakenRestrictionsAreErrorsThatKeepTheSecret) {
  const auto error = [](std::string rule) { return ErrorOf({"m", "--http-restricted-api=" + rule}); };
  EXPECT_THAT(error("helth:K=secret"), AllOf(HasSubstr("did you mean 'health'?"), Not(HasSubstr("secret"))));
  EXPECT_THAT(error("health,health:K=secret"), HasSubstr("group 'health' is named twice"));
  for (const std::string rule : {"health", "health:secret", "health=secret", "health:=secret", "health:K K=secret",
                                 "health:K=", "health:K= secret", "health:K=secret\n"}) {
    EXPECT_THAT(error(rule), AllOf(HasSubstr("--http-restricted-api: "), Not(HasSubstr("secret")))) << rule;
  }
  EXPECT_THAT(ErrorOf({"m", "--http-restricted-api=health:A=1", "--http-restricted-api=trace,health:B=2"}),
              HasSubstr("--http-restricted-api restricts a group twice: once more with header 'B'"));
  EXPECT_EQ(ErrorOf({"m", "--http-restricted-api=health:A=1", "--grpc-restricted-protocol=health:A=1"}), "");
  EXPECT_THAT(ErrorOf({"m", "--access-token-file=health:"}), HasSubstr("expected [GROUP,...:]PATH"));
}

TEST(OptionsParserTest, PatternsOfHeadersAreChecked) {
  EXPECT_EQ(ErrorOf({"m", "--http-header-forward-pattern=x-.*"}), "");
  EXPECT_THAT(ErrorOf({"m", "--http-header-forward-pattern=x-("}), HasSubstr("--http-header-forward-pattern: 'x-('"));
  EXPECT_THAT(ErrorOf({"m", "--grpc-header-forward-pattern=["}), HasSubstr("--grpc-header-forward-pattern: '['"));
}

TEST(OptionsParserTest, GrpcHasOptionsOfItsOwn) {
  const auto parsed = Parse({"m", "--grpc-tls-certificate=c", "--grpc-tls-key=k", "--grpc-unix-socket=/run/grpc",
                             "--grpc-typed-outputs", "--grpc-response-compression-level=high", "--http-grpc=false",
                             "--grpc-message-bytes-max=1MiB", "--grpc-keepalive-time=10s",
                             "--grpc-http2-max-ping-strikes=5", "--grpc-max-connection-age=1h"});
  ASSERT_TRUE(parsed.has_value()) << parsed.error().ToString();
  EXPECT_EQ(parsed->options.grpc.tls.certificate_file, "c");
  EXPECT_EQ(parsed->options.grpc.unix_socket, "/run/grpc");
  const GrpcOptions& grpc = parsed->options.grpc_calls;
  EXPECT_TRUE(grpc.typed_outputs);
  EXPECT_FALSE(grpc.on_http_port);
  EXPECT_EQ(grpc.response_compression, GrpcCompressionLevel::kHigh);
  EXPECT_EQ(grpc.message_bytes_max, 1u << 20);
  EXPECT_EQ(grpc.keepalive.ping_every, milliseconds(10'000));
  EXPECT_EQ(grpc.keepalive.client_ping_strikes_max, 5u);
  EXPECT_EQ(grpc.keepalive.connection_age_max, milliseconds(3'600'000));
  EXPECT_THAT(ErrorOf({"m", "--grpc-tls-key=k"}), HasSubstr("--grpc-tls-certificate and --grpc-tls-key go together"));
  EXPECT_THAT(ErrorOf({"m", "--grpc-message-bytes-max=0"}), HasSubstr("must be at least 1"));
}

TEST(OptionsParserTest, StatusCodesBecomeHttpCodes) {
  EXPECT_EQ(DefaultPersonality().HttpStatus(base::StatusCode::kResourceExhausted), 429);
  EXPECT_EQ(DefaultPersonality().HttpStatus(base::StatusCode::kDeadlineExceeded), 504);
  EXPECT_EQ(TritonserverPersonality().HttpStatus(base::StatusCode::kResourceExhausted), 503);
  EXPECT_EQ(TritonserverPersonality().HttpStatus(base::StatusCode::kAlreadyExists), 400);
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

}  // namespace
}  // namespace inferd::config

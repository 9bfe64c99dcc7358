#include "config/personalities/trtserver_flags.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "config/option_table/options_parser.h"

namespace inferd::config {
namespace {

using std::chrono::milliseconds;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

base::Result<ParsedOptions> ParseTrtserver(std::vector<std::string> arguments,
                                           const std::string& program = "trtserver") {
  arguments.insert(arguments.begin(), "--model-store=/models");
  return ParseServerOptions({program, std::move(arguments), {}});
}

TEST(TrtserverFlagsTest, ItsDefaults) {
  for (const char* program : {"trtserver", "/opt/inference_server/bin/inference_server"}) {
    const auto parsed = ParseTrtserver({}, program);
    ASSERT_TRUE(parsed.has_value()) << parsed.error().ToString();
    const ServerOptions& options = parsed->options;
    EXPECT_EQ(options.personality, &TrtserverPersonality());
    EXPECT_EQ(options.server_name, "inference:0");
    ASSERT_EQ(options.repositories.size(), 1u);
    EXPECT_EQ(options.repositories[0].path, "/models");
    EXPECT_EQ(options.http.port, 8000);
    EXPECT_EQ(options.grpc.port, 8001);
    EXPECT_EQ(options.metrics.port, 8002);
    EXPECT_EQ(options.control_mode, ControlMode::kPoll);
    EXPECT_EQ(options.poll_interval, milliseconds(15'000));
    EXPECT_TRUE(options.new_models);
    EXPECT_TRUE(options.unload_removed);
    EXPECT_TRUE(options.exit_on_bad_configuration);
    EXPECT_FALSE(options.exit_on_error);
    EXPECT_EQ(options.readiness, ReadinessMode::kEvery);
    EXPECT_EQ(options.drain_timeout, milliseconds(30'000));
    EXPECT_THAT(parsed->warnings, IsEmpty());
  }
}

TEST(TrtserverFlagsTest, EveryFlagMeansWhatItMeantThere) {
  const auto parsed = ParseTrtserver({"--id=s", "--http-port=1", "--grpc-port=2", "--metrics-port=3", "--allow-http",
                                      "--allow-grpc=0", "--allow-metrics=false", "--http-thread-count=3",
                                      "--file-system-poll-secs=5", "--allow-model-load-unload=false",
                                      "--exit-on-error=false", "--strict-readiness=0", "--exit-timeout-secs=7",
                                      "--log-info=0", "--log-warning=1", "--log-error=true", "--log-verbose=2"});
  ASSERT_TRUE(parsed.has_value()) << parsed.error().ToString();
  const ServerOptions& options = parsed->options;
  EXPECT_EQ(options.server_name, "s");
  EXPECT_EQ(options.http.port, 1);
  EXPECT_EQ(options.grpc.port, 2);
  EXPECT_EQ(options.metrics.port, 3);
  EXPECT_TRUE(options.http.enabled);
  EXPECT_FALSE(options.grpc.enabled);
  EXPECT_FALSE(options.metrics.enabled);
  EXPECT_EQ(options.loop_threads, 3u);
  EXPECT_EQ(options.poll_interval, milliseconds(5'000));
  EXPECT_FALSE(options.new_models);
  EXPECT_FALSE(options.unload_removed);
  EXPECT_FALSE(options.exit_on_bad_configuration);
  EXPECT_EQ(options.readiness, ReadinessMode::kTried);
  EXPECT_EQ(options.drain_timeout, milliseconds(7'000));
  EXPECT_FALSE(options.log.info);
  EXPECT_EQ(options.log.verbose_level, 2);
  EXPECT_THAT(parsed->warnings, IsEmpty());
}

TEST(TrtserverFlagsTest, ThoseOfTheNextReleases) {
  const auto parsed =
      ParseTrtserver({"--repository-poll-secs=2", "--allow-poll-model-repository=false", "--strict-model-config=true"});
  ASSERT_TRUE(parsed.has_value()) << parsed.error().ToString();
  EXPECT_EQ(parsed->options.control_mode, ControlMode::kNone);
}

TEST(TrtserverFlagsTest, WhatHasNoEffectIsSaid) {
  const auto quiet =
      ParseTrtserver({"--allow-profiling=false", "--tf-allow-soft-placement", "--tf-gpu-memory-fraction=0.5"});
  ASSERT_TRUE(quiet.has_value()) << quiet.error().ToString();
  EXPECT_THAT(quiet->warnings, IsEmpty());
  EXPECT_EQ(quiet->notes.size(), 3u);
  const auto loud = ParseTrtserver({"--allow-profiling", "--platform-config-file=/proc/self/status"});
  ASSERT_TRUE(loud.has_value()) << loud.error().ToString();
  EXPECT_EQ(loud->warnings.size(), 2u);
  EXPECT_THAT(ParseTrtserver({"--platform-config-file=/absent"}).error().message(),
              AllOf(HasSubstr("--platform-config-file"), HasSubstr("/absent")));
  EXPECT_THAT(ParseTrtserver({"--no-such-flag"}).error().message(), HasSubstr("--no-such-flag"));
}

TEST(TrtserverFlagsTest, TheLineThatSaysThatItIsReady) {
  EXPECT_EQ(TrtserverPersonality().announce("inference:0", "http", 8000),
            "Starting server 'inference:0' listening on http://localhost:8000");
}

}  // namespace
}  // namespace inferd::config

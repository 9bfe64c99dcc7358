#include "kserve/agent/command_line.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <vector>

namespace inferd::agent {
namespace {

ParsedCommandLine Parse(std::vector<const char*> arguments, std::map<std::string, std::string> environment = {}) {
  arguments.insert(arguments.begin(), "inferd-agent");
  return ParseCommandLine(static_cast<int>(arguments.size()), arguments.data(),
                          [&](const char* name) { return environment[name]; });
}

TEST(CommandLineTest, DefaultsAreKServes) {
  const ParsedCommandLine parsed = Parse({});
  EXPECT_FALSE(parsed.exit_status.has_value());
  EXPECT_FALSE(parsed.probe_period.has_value());
  EXPECT_EQ(parsed.options.port, 9081);
  EXPECT_EQ(parsed.options.component.port, 8080);
  EXPECT_EQ(parsed.options.timeout, std::chrono::seconds(300));
  EXPECT_EQ(parsed.options.logger.url, "");
  EXPECT_EQ(parsed.options.logger.workers, 5u);
  EXPECT_EQ(parsed.options.logger.source, "http://localhost:9081/");
}

TEST(CommandLineTest, ModelsMayBeControlledAtAnotherPlace) {
  const ParsedCommandLine parsed = Parse({"--enable-puller", "--component-port", "8085", "--control-socket", "/s"});
  ASSERT_FALSE(parsed.exit_status.has_value());
  EXPECT_EQ(parsed.options.component.address(), "127.0.0.1:8085");
  EXPECT_EQ(parsed.options.puller->component.address(), "unix:/s");
}

// The pod mutator writes arguments in this form.
TEST(CommandLineTest, FlagsAndValuesAreArgumentsOfTheirOwn) {
  const ParsedCommandLine parsed =
      Parse({"--log-url", "http://sink/", "--source-uri", "", "--log-mode", "response", "--inference-service", "iris",
             "--namespace", "ns", "--endpoint", "", "--component", "predictor", "--component-port", "8085"},
            {{"SERVING_READINESS_PROBE", "{}"}, {"REVISION_TIMEOUT_SECONDS", "60"}});
  ASSERT_FALSE(parsed.exit_status.has_value());
  const LoggerOptions& logger = parsed.options.logger;
  EXPECT_EQ(logger.url, "http://sink/");
  EXPECT_EQ(logger.source, "");
  EXPECT_EQ(logger.mode, payloadlog::LogMode::kResponse);
  EXPECT_EQ(logger.inference_service, "iris");
  EXPECT_EQ(logger.namespace_name, "ns");
  EXPECT_EQ(logger.endpoint, "");
  EXPECT_EQ(logger.component, "predictor");
  EXPECT_EQ(parsed.options.component.port, 8085);
  EXPECT_EQ(parsed.options.readiness_probe, "{}");
  EXPECT_EQ(parsed.options.timeout, std::chrono::seconds(60));
}

TEST(CommandLineTest, ACommandStandsBehindTwoDashes) {
  EXPECT_TRUE(Parse({}).options.command.empty());
  const ParsedCommandLine parsed =
      Parse({"--port", "1", "--enable-batcher", "--", "server", "--http_port", "8080", "-v", "--", "x=y"});
  ASSERT_FALSE(parsed.exit_status.has_value());
  EXPECT_EQ(parsed.options.command, (std::vector<std::string>{"server", "--http_port", "8080", "-v", "--", "x=y"}));
  EXPECT_EQ(parsed.options.port, 1);
}

TEST(CommandLineTest, ThePullerIsAskedFor) {
  EXPECT_FALSE(Parse({"--config-dir", "/c"}).options.puller.has_value());
  const auto puller =
      Parse({"--enable-puller", "--config-dir", "/c", "--model-dir", "/m", "--component-port", "8085"}).options.puller;
  ASSERT_TRUE(puller.has_value());
  EXPECT_EQ(puller->config_folder, "/c");
  EXPECT_EQ(puller->model_folder, "/m");
  EXPECT_EQ(puller->component.port, 8085);
}

TEST(CommandLineTest, TheBatcherIsAskedFor) {
  EXPECT_FALSE(Parse({"--max-batchsize", "4"}).options.batcher.has_value());
  const auto batcher = Parse({"--enable-batcher", "--max-batchsize", "4", "--max-latency", "50"}).options.batcher;
  ASSERT_TRUE(batcher.has_value());
  EXPECT_EQ(batcher->instances_max, 4u);
  EXPECT_EQ(batcher->latency_max, std::chrono::milliseconds(50));
  const auto defaults = Parse({"--enable-batcher=true"}).options.batcher;
  EXPECT_EQ(defaults->instances_max, 32u);
  EXPECT_EQ(defaults->latency_max, std::chrono::seconds(5));
}

TEST(CommandLineTest, FaultsEndWithStatus2) {
  EXPECT_EQ(Parse({"--enable-batcher", "--max-batchsize", "0"}).exit_status, 2);
  EXPECT_EQ(Parse({"--log-mode", "some"}).exit_status, 2);
  EXPECT_EQ(Parse({"--port", "70000"}).exit_status, 2);
  EXPECT_EQ(Parse({"--workers", "0"}).exit_status, 2);
  EXPECT_EQ(Parse({"--unknown"}).exit_status, 2);
  EXPECT_EQ(Parse({"--probe-period", "soon"}).exit_status, 2);
  EXPECT_EQ(Parse({}, {{"REVISION_TIMEOUT_SECONDS", "-1"}}).exit_status, 2);
  EXPECT_EQ(Parse({"--help"}).exit_status, 0);
}

TEST(CommandLineTest, AProbeIsAskedForByATime) {
  EXPECT_EQ(Parse({"--probe-period", "10s"}).probe_period, std::chrono::seconds(10));
  EXPECT_EQ(Parse({"--probe-period=-1ns"}).probe_period, std::nullopt);
}

TEST(CommandLineTest, TimesAreGos) {
  EXPECT_EQ(ParseGoDuration("0"), std::chrono::milliseconds(0));
  EXPECT_EQ(ParseGoDuration("1m30s"), std::chrono::seconds(90));
  EXPECT_EQ(ParseGoDuration("1.5s"), std::chrono::milliseconds(1500));
  EXPECT_EQ(ParseGoDuration("250ms"), std::chrono::milliseconds(250));
  for (const char* text : {"", "10", "s", "1x", "1s ", "1e400s", "25h", "nan"}) {
    EXPECT_EQ(ParseGoDuration(text), std::nullopt) << text;
  }
}

}  // namespace
}  // namespace inferd::agent

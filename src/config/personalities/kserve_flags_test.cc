#include "config/personalities/kserve_flags.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "config/option_table/options_parser.h"
#include "tests/support/temp_dir.h"

namespace inferd::config {
namespace kserve_flags_test {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;

ParsedOptions ParseKserve(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), {"--as", "kserve"});
  auto parsed = ParseServerOptions({"inferd", std::move(arguments), {}});
  EXPECT_TRUE(parsed.has_value()) << parsed.error().ToString();
  return parsed.value_or(ParsedOptions());
}

TEST(KserveFlagsTest, DefaultsAreThoseServers) {
  const ServerOptions options = ParseKserve({"--model_dir=/m"}).options;
  EXPECT_EQ(options.personality, &KservePersonality());
  EXPECT_EQ(options.http.port, 8080);
  EXPECT_EQ(options.grpc.port, 8081);
  EXPECT_FALSE(options.metrics.enabled);
  EXPECT_EQ(options.health_bodies, HealthBodies::kJson);
  EXPECT_EQ(options.v1_status, V1Status::kKserve);
  EXPECT_EQ(options.v1_predict, V1Predict::kKserve);
  EXPECT_THAT(options.model_files, ElementsAre("model=/m"));
}

TEST(KserveFlagsTest, WhatAServingRuntimePasses) {
  const auto one = ParseKserve({"--model_name=iris", "--model_dir=/mnt/models", "--http_port=1", "--grpc_port=2",
                                "--workers=3", "--protocol=v2", "--max_buffer_size=104857600", "--enable_docs_url=true",
                                "--enable_latency_logging=false", "--nthread=1"});
  const auto two = ParseKserve({"--model_name",
                                "iris",
                                "--model_dir",
                                "/mnt/models",
                                "--http_port",
                                "1",
                                "--grpc_port",
                                "2",
                                "--workers",
                                "3",
                                "--protocol",
                                "v2",
                                "--max_buffer_size",
                                "104857600",
                                "--enable_docs_url",
                                "True",
                                "--enable_latency_logging",
                                "False",
                                "--nthread",
                                "1"});
  for (const ParsedOptions& parsed : {one, two}) {
    EXPECT_THAT(parsed.options.model_files, ElementsAre("iris=/mnt/models"));
    EXPECT_EQ(parsed.options.http.port, 1);
    EXPECT_EQ(parsed.options.grpc.port, 2);
    EXPECT_EQ(parsed.options.limits.body_bytes_max, 104857600u);
    EXPECT_FALSE(parsed.options.log.access);
    EXPECT_THAT(parsed.warnings, ElementsAre(HasSubstr("--enable_docs_url=true has no effect")));
  }
}

TEST(KserveFlagsTest, AFolderOfOneModel) {
  const inferd::support::TempDir dir;
  dir.Write("bare/model.onnx", "x");
  dir.Write("versions/1/model.onnx", "x");
  dir.Write("saved/model.savedmodel/saved_model.pb", "x");
  dir.Write("hidden/.cache/x", "x");
  const std::string root = dir.path().string();
  for (const std::string name : {"bare", "versions", "saved", "nowhere"}) {
    EXPECT_THAT(ParseKserve({"--model_dir", root + "/" + name}).options.model_files,
                ElementsAre("model=" + root + "/" + name));
  }
  // Models arrive in an empty folder later.
  const ServerOptions empty = ParseKserve({"--model_dir", root + "/hidden", "--model_name", "m"}).options;
  EXPECT_THAT(empty.model_files, IsEmpty());
  ASSERT_EQ(empty.repositories.size(), 1u);
  EXPECT_EQ(empty.repositories[0].path, root + "/hidden");
}

TEST(KserveFlagsTest, AFolderOfFoldersHasAModelInEach) {
  const inferd::support::TempDir dir;
  dir.Write("versions/a/1/model.onnx", "x");
  dir.Write("versions/b/7/model.onnx", "x");
  dir.Write("mixed/a/model.onnx", "x");
  dir.Write("mixed/b/1/model.onnx", "x");
  const std::string root = dir.path().string();
  const auto versions = ParseKserve({"--model_dir", root + "/versions", "--model_name", "m"});
  EXPECT_THAT(versions.options.model_files, IsEmpty());
  ASSERT_EQ(versions.options.repositories.size(), 1u);
  EXPECT_EQ(versions.options.repositories[0].path, root + "/versions");
  EXPECT_THAT(versions.warnings, ElementsAre(HasSubstr("--model_name has no effect")));
  EXPECT_THAT(ParseKserve({"--model_dir", root + "/mixed"}).options.model_files,
              ElementsAre("a=" + root + "/mixed/a", "b=" + root + "/mixed/b"));
}

TEST(KserveFlagsTest, TransformersAreToldOfTheirPredictor) {
  const auto parsed = ParseKserve({"--model_dir=/m", "--predictor_host", "127.0.0.1:8080/components/a/b",
                                   "--predictor_protocol=v2", "--explainer_host=e:80"});
  EXPECT_THAT(parsed.warnings, IsEmpty());
  EXPECT_THAT(parsed.options.engine_parameters.at("python"),
              ElementsAre(Pair("explainer_host", "e:80"), Pair("predictor_host", "127.0.0.1:8080/components/a/b"),
                          Pair("protocol", "v2")));
}

TEST(KserveFlagsTest, EventsAreWhatTheEnvironmentSays) {
  const auto parsed =
      ParseServerOptions({"kserve", {"--model_dir=/m"}, {{"CE_TYPE", "t"}, {"CE_SOURCE", "s"}, {"CE_MERGE", "True"}}});
  ASSERT_TRUE(parsed.has_value()) << parsed.error().ToString();
  EXPECT_EQ(parsed->options.v1_events.type, "t");
  EXPECT_EQ(parsed->options.v1_events.source, "s");
  EXPECT_TRUE(parsed->options.v1_events.merge);
}

TEST(KserveFlagsTest, UnknownFlagsAreIgnored) {
  EXPECT_THAT(ParseKserve({"--model_dir=/m", "--some_new_flag=1"}).warnings,
              ElementsAre("unknown argument: --some_new_flag=1"));
}

}  // namespace kserve_flags_test
}  // namespace inferd::config

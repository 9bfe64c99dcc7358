#include "config/personalities/tensorflow_platform.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <thread>

#include "config/memory_file.h"
#include "config/option_table/options_parser.h"

namespace inferd::config {
namespace tensorflow_platform_test {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;

base::Result<ParsedOptions> ParseAll(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), "--model_base_path=/models/m");
  return ParseServerOptions({"tensorflow_model_server", std::move(arguments), {}});
}

ParsedOptions ParsePlatform(std::vector<std::string> arguments) {
  auto parsed = ParseAll(std::move(arguments));
  EXPECT_TRUE(parsed.has_value()) << parsed.error().ToString();
  return parsed.value_or(ParsedOptions());
}

std::string PlatformError(std::vector<std::string> arguments) {
  const auto parsed = ParseAll(std::move(arguments));
  return parsed.has_value() ? "" : parsed.error().message();
}

std::map<std::string, std::string> ParametersOf(const ParsedOptions& parsed) {
  const auto found = parsed.options.engine_parameters.find("tensorflow");
  return found == parsed.options.engine_parameters.end() ? std::map<std::string, std::string>() : found->second;
}

std::string FileOf(const std::string& text) { return MakeMemoryFile(text).value(); }

TEST(TensorflowPlatformTest, FlagsOfSessionsAreParametersOfTheEngine) {
  const ParsedOptions parsed = ParsePlatform(
      {"--tensorflow_intra_op_parallelism=4", "--tensorflow_inter_op_parallelism=2", "--saved_model_tags=serve,gpu"});
  EXPECT_THAT(ParametersOf(parsed), ElementsAre(Pair("TF_GRAPH_TAG", "serve,gpu"), Pair("TF_NUM_INTER_THREADS", "2"),
                                                Pair("TF_NUM_INTRA_THREADS", "4")));
  EXPECT_THAT(parsed.warnings, IsEmpty());
  EXPECT_THAT(ParametersOf(ParsePlatform({"--tensorflow_session_parallelism=3"})),
              ElementsAre(Pair("TF_NUM_INTER_THREADS", "3"), Pair("TF_NUM_INTRA_THREADS", "3")));
  EXPECT_THAT(
      ParametersOf(ParsePlatform({"--tensorflow_session_parallelism=3", "--tensorflow_intra_op_parallelism=4"})),
      ElementsAre(Pair("TF_NUM_INTRA_THREADS", "4")));
  EXPECT_THAT(ParametersOf(ParsePlatform({"--tensorflow_session_parallelism=0", "--tensorflow_intra_op_parallelism=-1",
                                          "--saved_model_tags="})),
              IsEmpty());
}

TEST(TensorflowPlatformTest, ThreadsOfSessionsTwiceAreRefused) {
  EXPECT_EQ(PlatformError({"--tensorflow_session_parallelism=1", "--tensorflow_intra_op_parallelism=1",
                           "--tensorflow_inter_op_parallelism=1"}),
            "Either configure server_options.tensorflow_session_parallelism or "
            "(server_options.tensorflow_intra_op_parallelism, server_options.tensorflow_inter_op_parallelism) "
            "separately. You cannot configure all.");
  EXPECT_EQ(PlatformError({"--tensorflow_session_parallelism=2000"}),
            "--tensorflow_session_parallelism: expected a whole number from 0 to 1024, got '2000'");
}

TEST(TensorflowPlatformTest, ASessionFileCountsWhereNoFlagIsGiven) {
  const std::string file =
      "--tensorflow_session_config_file=" + FileOf(
                                                "intra_op_parallelism_threads: 2\ninter_op_parallelism_threads: 5\n"
                                                "gpu_options { allow_growth: true }\n"
                                                "graph_options { optimizer_options { global_jit_level: ON_1 } }");
  const ParsedOptions parsed = ParsePlatform({file});
  EXPECT_THAT(ParametersOf(parsed), ElementsAre(Pair("TF_GLOBAL_JIT_LEVEL", "1"), Pair("TF_NUM_INTER_THREADS", "5"),
                                                Pair("TF_NUM_INTRA_THREADS", "2")));
  ASSERT_THAT(parsed.warnings, ElementsAre(HasSubstr(":3:1: gpu_options has no effect")));
  EXPECT_THAT(parsed.warnings[0], HasSubstr("--tensorflow_session_config_file: "));
  EXPECT_THAT(ParametersOf(ParsePlatform({file, "--tensorflow_intra_op_parallelism=7"})),
              ElementsAre(Pair("TF_GLOBAL_JIT_LEVEL", "1"), Pair("TF_NUM_INTER_THREADS", "5"),
                          Pair("TF_NUM_INTRA_THREADS", "7")));
  EXPECT_THAT(PlatformError({"--tensorflow_session_config_file=" + FileOf("intra_op_parallelism_threads: x")}),
              HasSubstr("Error parsing text-format tensorflow.ConfigProto"));
}

TEST(TensorflowPlatformTest, BatchThreadsAreAResource) {
  const auto cores = std::max(1u, std::thread::hardware_concurrency());
  const ParsedOptions parsed = ParsePlatform(
      {"--enable_batching", "--batching_parameters_file=" +
                                FileOf("num_batch_threads { value: 1 } thread_pool_name { value: \"batchers\" }")});
  EXPECT_EQ(parsed.options.default_batching.resource, "batchers");
  ASSERT_EQ(parsed.options.resources.limits.size(), 1u);
  EXPECT_EQ(parsed.options.resources.limits[0].name, "batchers");
  EXPECT_EQ(parsed.options.resources.limits[0].count, 1u);
  EXPECT_EQ(parsed.options.default_instances, 1);
  const ParsedOptions many =
      ParsePlatform({"--enable_batching", "--batching_parameters_file=" + FileOf("num_batch_threads { value: 1000 }")});
  EXPECT_EQ(many.options.resources.limits[0].count, 1000u);
  EXPECT_EQ(many.options.default_instances, static_cast<int>(cores));
  const ParsedOptions unsaid = ParsePlatform({"--enable_batching"});
  EXPECT_EQ(unsaid.options.default_batching.resource, "model_server_batch_threads");
  EXPECT_EQ(unsaid.options.resources.limits[0].count, cores);
  EXPECT_EQ(unsaid.options.default_instances, 1);
  EXPECT_EQ(ParsePlatform({}).options.default_batching.resource, "");
}

TEST(TensorflowPlatformTest, APlatformFileReplacesFlags) {
  const std::string file = FileOf(R"(platform_configs { key: "tensorflow" value { source_adapter_config {
      [type.googleapis.com/tensorflow.serving.SavedModelBundleSourceAdapterConfig] { legacy_config {
        session_config { intra_op_parallelism_threads: 3 }
        batching_parameters { max_batch_size { value: 16 } }
        saved_model_tags: "serve" saved_model_tags: "tpu"
        session_target: "local"
        enable_model_warmup: true
        model_warmup_options { num_request_iterations { value: 4 } } } } } } }
      platform_configs { key: "other" value { } })");
  const ParsedOptions parsed = ParsePlatform({"--platform_config_file=" + file, "--tensorflow_intra_op_parallelism=9",
                                              "--enable_batching=false", "--enable_model_warmup=false"});
  EXPECT_THAT(ParametersOf(parsed), ElementsAre(Pair("TF_GRAPH_TAG", "serve,tpu"), Pair("TF_NUM_INTRA_THREADS", "3")));
  EXPECT_EQ(parsed.options.default_max_batch_size, 16);
  EXPECT_TRUE(parsed.options.recorded_warmups);
  EXPECT_EQ(parsed.options.recorded_warmup_times, 4u);
  EXPECT_THAT(
      parsed.warnings,
      ElementsAre("--tensorflow_intra_op_parallelism has no effect: --platform_config_file is given",
                  "--enable_batching has no effect: --platform_config_file is given",
                  "--enable_model_warmup has no effect: --platform_config_file is given",
                  HasSubstr(":6:9: session_target has no effect"), HasSubstr("platform \"other\" has no effect")));
}

TEST(TensorflowPlatformTest, APlatformFileWithoutTensorflowIsRefused) {
  EXPECT_THAT(PlatformError({"--platform_config_file=" + FileOf("")}), HasSubstr("for the platform \"tensorflow\""));
  EXPECT_THAT(PlatformError({"--platform_config_file=" + FileOf("platform_configs {")}),
              HasSubstr("Error parsing text-format tensorflow.serving.PlatformConfigMap"));
  const std::string bad = FileOf(R"(platform_configs { key: "tensorflow" value { source_adapter_config {
      [type.googleapis.com/tensorflow.serving.SavedModelBundleSourceAdapterConfig] { legacy_config {
        batching_parameters { max_batch_size { value: 0 } } } } } } })");
  EXPECT_THAT(PlatformError({"--platform_config_file=" + bad}), HasSubstr("max_batch_size: must be from 1 to"));
}

}  // namespace tensorflow_platform_test
}  // namespace inferd::config

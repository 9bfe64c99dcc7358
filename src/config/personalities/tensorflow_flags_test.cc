#include "config/personalities/tensorflow_flags.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string_view>

#include "base/system/regular_file.h"
#include "config/memory_file.h"
#include "config/option_table/option_table.h"
#include "config/option_table/options_parser.h"

namespace inferd::config {
namespace tensorflow_flags_test {

using std::chrono::milliseconds;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

base::Result<ParsedOptions> ParseAlone(std::vector<std::string> arguments,
                                       std::map<std::string, std::string> environment = {}) {
  return ParseServerOptions({"tensorflow_model_server", std::move(arguments), std::move(environment)});
}

ParsedOptions ParseTensorFlow(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), "--model_base_path=/models/m");
  auto parsed = ParseAlone(std::move(arguments));
  EXPECT_TRUE(parsed.has_value()) << parsed.error().ToString();
  return parsed.value_or(ParsedOptions());
}

std::string TensorFlowError(std::vector<std::string> arguments) {
  const auto parsed = ParseAlone(std::move(arguments));
  return parsed.has_value() ? "" : parsed.error().message();
}

std::string FileOf(const std::string& text) { return MakeMemoryFile(text).value(); }

TEST(TensorflowFlagsTest, DefaultsAreThatServers) {
  const ServerOptions options = ParseTensorFlow({}).options;
  EXPECT_EQ(options.personality, &TensorflowModelServerPersonality());
  EXPECT_EQ(options.grpc.port, 8500);
  EXPECT_EQ(options.grpc_calls.message_bytes_max, 2147483647u);
  EXPECT_FALSE(options.http.enabled);
  EXPECT_FALSE(options.metrics.enabled);
  EXPECT_EQ(options.control_mode, ControlMode::kPoll);
  EXPECT_EQ(options.poll_interval, milliseconds(1000));
  EXPECT_EQ(options.accept, AcceptWhen::kTried);
  EXPECT_EQ(options.limits.http_inference_timeout, milliseconds(30'000));
  EXPECT_EQ(options.load_retries, 5u);
  EXPECT_EQ(options.load_retry_interval, milliseconds(60'000));
  EXPECT_EQ(options.default_max_batch_size, 0);
  EXPECT_EQ(options.v1_status, V1Status::kTfs);
  EXPECT_EQ(options.tfs_result_key, TfsResultKey::kResults);
  EXPECT_EQ(options.tfs_metrics_path, "");
  ASSERT_EQ(options.served.base_paths.size(), 1u);
  for (const char* const name : {"team/x", "a=b"}) {
    const auto parsed = ParseAlone({std::string("--model_name=") + name, "--model_base_path=file:///models/m"});
    ASSERT_TRUE(parsed.has_value()) << parsed.error().ToString();
    EXPECT_EQ(parsed->options.served.base_paths.front().name, name);
    EXPECT_EQ(parsed->options.served.base_paths.front().path, "/models/m");
  }
  EXPECT_EQ(options.served.base_paths[0].name, "default");
  EXPECT_EQ(options.served.base_paths[0].path, "/models/m");
}

TEST(TensorflowFlagsTest, FlagsThatCount) {
  const ServerOptions options =
      ParseTensorFlow({"--port=9000", "--rest_api_port=9001", "--model_name=m", "--rest_api_enable_cors_support",
                       "--file_system_poll_wait_seconds=7", "--grpc_socket_path=/tmp/s", "--num_load_threads=0",
                       "--max_num_load_retries=2", "--load_retry_interval_micros=1500", "--enable_batching=false"})
          .options;
  EXPECT_EQ(options.grpc.port, 9000);
  EXPECT_EQ(options.grpc.unix_socket, "/tmp/s");
  EXPECT_TRUE(options.http.enabled);
  EXPECT_EQ(options.http.port, 9001);
  EXPECT_EQ(options.served.base_paths[0].name, "m");
  EXPECT_TRUE(options.tfs_cors);
  EXPECT_EQ(options.poll_interval, milliseconds(7000));
  EXPECT_EQ(options.loader_threads, 4u);
  EXPECT_EQ(options.load_retries, 2u);
  EXPECT_EQ(options.load_retry_interval, milliseconds(2));
  EXPECT_EQ(ParseTensorFlow({"--file_system_poll_wait_seconds=0"}).options.control_mode, ControlMode::kNone);
  EXPECT_EQ(ParseTensorFlow({"--file_system_poll_wait_seconds=-1"}).options.control_mode, ControlMode::kNone);
  EXPECT_FALSE(ParseTensorFlow({"--port=0", "--rest_api_port=8501"}).options.grpc.enabled);
  EXPECT_EQ(ParseTensorFlow({"--rest_api_timeout_in_ms=250"}).options.limits.http_inference_timeout, milliseconds(250));
  EXPECT_EQ(ParseTensorFlow({"--rest_api_timeout_in_ms=-1"}).options.limits.http_inference_timeout, milliseconds(0));
}

TEST(TensorflowFlagsTest, AFileOfModelsCountsAlone) {
  const auto parsed = ParseAlone({"--model_config_file=/m.config", "--model_config_file_poll_wait_seconds=5",
                                  "--model_base_path=relative", "--allow_version_labels_for_unavailable_models"});
  ASSERT_TRUE(parsed.has_value()) << parsed.error().ToString();
  EXPECT_EQ(parsed->options.served.config_file, "/m.config");
  EXPECT_EQ(parsed->options.served.config_poll, milliseconds(5000));
  EXPECT_TRUE(parsed->options.served.early_labels);
  EXPECT_THAT(parsed->options.served.base_paths, IsEmpty());
  EXPECT_THAT(parsed->warnings, ElementsAre("--model_base_path has no effect: --model_config_file names the models"));
}

TEST(TensorflowFlagsTest, WithoutModelsNothingStarts) {
  EXPECT_THAT(TensorFlowError({}), HasSubstr("nothing to serve"));
  EXPECT_EQ(TensorFlowError({"--model_base_path=models/m"}),
            "Expected model default to have an absolute path or URI; got base_path()=models/m");
}

TEST(TensorflowFlagsTest, TheImagesVariablesNameAModel) {
  const auto parsed = ParseAlone({}, {{"MODEL_NAME", "resnet"}});
  ASSERT_TRUE(parsed.has_value()) << parsed.error().ToString();
  EXPECT_EQ(parsed->options.served.base_paths[0].name, "resnet");
  EXPECT_EQ(parsed->options.served.base_paths[0].path, "/models/resnet");
  EXPECT_TRUE(parsed->options.http.enabled);
  EXPECT_EQ(parsed->options.http.port, 8501);
  const auto elsewhere = ParseAlone({"--rest_api_port=1"}, {{"MODEL_BASE_PATH", "/data"}});
  EXPECT_EQ(elsewhere->options.served.base_paths[0].path, "/data/model");
  EXPECT_EQ(elsewhere->options.http.port, 1);
  const auto named = ParseAlone({"--model_name=other"}, {{"MODEL_NAME", "resnet"}});
  EXPECT_EQ(named->options.served.base_paths[0].name, "other");
  EXPECT_EQ(named->options.served.base_paths[0].path, "/models/resnet");
}

TEST(TensorflowFlagsTest, TheImagesEntryPointAlwaysListensForRest) {
  const std::map<std::string, std::string> image = {{"MODEL_NAME", "resnet"}, {"MODEL_BASE_PATH", "/models"}};
  const auto path = ParseAlone({"--model_base_path=/m"}, image);
  EXPECT_EQ(path->options.served.base_paths[0].name, "resnet");
  EXPECT_EQ(path->options.served.base_paths[0].path, "/m");
  const auto file = ParseAlone({"--model_config_file=/m.config"}, image);
  EXPECT_EQ(file->options.served.config_file, "/m.config");
  EXPECT_THAT(file->options.served.base_paths, IsEmpty());
  EXPECT_THAT(file->warnings, IsEmpty());
  for (const auto* parsed : {&path, &file}) {
    EXPECT_TRUE((*parsed)->options.http.enabled);
    EXPECT_EQ((*parsed)->options.http.port, 8501);
  }
  EXPECT_FALSE(ParseAlone({"--model_config_file=/m.config", "--rest_api_port=0"}, image)->options.http.enabled);
}

TEST(TensorflowFlagsTest, UnknownArgumentsAreShownAndIgnored) {
  const ParsedOptions parsed = ParseTensorFlow({"--rest_port=8501", "stray", "-x", "--rest_api_port=8501"});
  EXPECT_TRUE(parsed.show_usage);
  EXPECT_THAT(parsed.warnings,
              ElementsAre("unknown argument: --rest_port=8501", "unknown argument: stray", "unknown argument: -x"));
  EXPECT_EQ(parsed.options.http.port, 8501);
  EXPECT_FALSE(ParseTensorFlow({}).show_usage);
}

TEST(TensorflowFlagsTest, BatchingIsTheDefaultOfModels) {
  const std::string file = FileOf(
      "max_batch_size { value: 32 } batch_timeout_micros { value: 2000 } max_enqueued_batches { value: 2 }\n"
      "allowed_batch_sizes: 8 allowed_batch_sizes: 32 num_batch_threads { value: 4 } pad_variable_length_inputs: true");
  const ParsedOptions parsed = ParseTensorFlow({"--enable_batching", "--batching_parameters_file=" + file});
  EXPECT_EQ(parsed.options.default_max_batch_size, 32);
  EXPECT_EQ(parsed.options.default_batching.max_queue_delay_us, 2000u);
  EXPECT_THAT(parsed.options.default_batching.preferred_batch_sizes, IsEmpty());
  EXPECT_THAT(parsed.options.default_batching.allowed_batch_sizes, ElementsAre(8, 32));
  EXPECT_TRUE(parsed.options.default_batching.pad_to_largest_shape);
  EXPECT_FALSE(parsed.options.version_batching);
  EXPECT_FALSE(parsed.options.default_batching.split_large_requests);
  EXPECT_EQ(parsed.options.limits.queue_size_max, 64u);
  EXPECT_THAT(parsed.warnings, IsEmpty());
  EXPECT_EQ(ParseTensorFlow({"--enable_batching=true"}).options.default_max_batch_size, 1000);
  EXPECT_EQ(TensorFlowError({"--model_base_path=/m", "--batching_parameters_file=" + file}),
            "--batching_parameters_file needs --enable_batching");
  EXPECT_EQ(TensorFlowError({"--model_base_path=/m", "--enable_batching", "--batching_parameters_file=/nowhere"}),
            "--batching_parameters_file: cannot read '/nowhere'");
}

TEST(TensorflowFlagsTest, VersionsBringTheirBatchingWhereThereIsAny) {
  const ParsedOptions parsed = ParseTensorFlow({"--enable_batching", "--enable_per_model_batching_parameters"});
  EXPECT_TRUE(parsed.options.version_batching);
  EXPECT_THAT(parsed.warnings, IsEmpty());
  EXPECT_FALSE(ParseTensorFlow({"--enable_per_model_batching_parameters"}).options.version_batching);
}

TEST(TensorflowFlagsTest, MetricsAndTlsAreFiles) {
  const ServerOptions options =
      ParseTensorFlow(
          {"--monitoring_config_file=" + FileOf("prometheus_config { enable: true path: \"/m\" }"),
           "--ssl_config_file=" + FileOf("server_key: \"-----BEGIN K\" server_cert: \"-----BEGIN C\" custom_ca: "
                                         "\"-----BEGIN A\" client_verify: true")})
          .options;
  EXPECT_EQ(options.tfs_metrics_path, "/m");
  EXPECT_EQ(base::ReadRegularFile(options.grpc.tls.key_file, 20).value(), "-----BEGIN K");
  EXPECT_EQ(base::ReadRegularFile(options.grpc.tls.certificate_file, 20).value(), "-----BEGIN C");
  EXPECT_EQ(base::ReadRegularFile(options.grpc.tls.client_ca_file, 20).value(), "-----BEGIN A");
  EXPECT_EQ(options.http.tls.key_file, "") << "REST has no TLS there";
}

TEST(TensorflowFlagsTest, ChannelArgumentsAreOptionsOfOurs) {
  const ParsedOptions parsed =
      ParseTensorFlow({"--grpc_channel_arguments=grpc.max_concurrent_streams=7,"
                       "grpc.keepalive_time_ms=1500,grpc.so_reuseport=0,grpc.max_ping_strikes"});
  EXPECT_EQ(parsed.options.limits.http2_streams_max, 7u);
  EXPECT_EQ(parsed.options.grpc_calls.keepalive.ping_every, milliseconds(1500));
  EXPECT_THAT(parsed.warnings, ElementsAre("--grpc_channel_arguments: grpc.so_reuseport=0 has no effect",
                                           "--grpc_channel_arguments: grpc.max_ping_strikes has no effect"));
}

// A flag without an effect must say why, unless its value requests the existing behaviour.
TEST(TensorflowFlagsTest, IdleFlagsSaySo) {
  EXPECT_THAT(ParseTensorFlow({"--thread_pool_factory_config_file=/f", "--mixed_precision=float16"}).warnings,
              ElementsAre(HasSubstr("--thread_pool_factory_config_file has no effect: models are set by"),
                          HasSubstr("--mixed_precision has no effect: there are no GPUs")));
  const ParsedOptions parsed = ParseTensorFlow({"--grpc_max_threads=8", "--xla_cpu_compilation_enabled=true"});
  EXPECT_THAT(parsed.warnings, IsEmpty());
  EXPECT_EQ(parsed.notes.size(), 2u);
}

TEST(TensorflowFlagsTest, ModelsOfTensorflowLiteMayBePreferred) {
  EXPECT_FALSE(ParseTensorFlow({}).options.prefer_tflite);
  for (const char* flag : {"--prefer_tflite_model", "--prefer_tflite_model=true", "--use_tflite_model=true"}) {
    const ParsedOptions parsed = ParseTensorFlow({flag});
    EXPECT_TRUE(parsed.options.prefer_tflite) << flag;
    EXPECT_THAT(parsed.warnings, IsEmpty()) << flag;
  }
  const ParsedOptions parsed = ParseTensorFlow({"--prefer_tflite_model=false", "--num_tflite_pools=2"});
  EXPECT_FALSE(parsed.options.prefer_tflite);
  EXPECT_THAT(parsed.warnings, IsEmpty());
}

TEST(TensorflowFlagsTest, EveryFlagIsAnOptionOrSaysWhyNot) {
  for (const PersonalityFlag& flag : TensorflowFlags()) {
    EXPECT_TRUE(flag.combined || flag.option.empty() || FindOption(flag.option) != nullptr) << flag.name;
    EXPECT_FALSE(flag.help.empty()) << flag.name;
  }
}

// The names are those of TensorFlow Serving's own program.
TEST(TensorflowFlagsTest, NoFlagOfTheirsIsUnknown) {
  constexpr std::string_view kTheirs[] = {"port",
                                          "grpc_socket_path",
                                          "rest_api_port",
                                          "rest_api_num_threads",
                                          "rest_api_timeout_in_ms",
                                          "rest_api_enable_cors_support",
                                          "enable_batching",
                                          "batching_parameters_file",
                                          "enable_per_model_batching_parameters",
                                          "allow_version_labels_for_unavailable_models",
                                          "model_config_file",
                                          "model_config_file_poll_wait_seconds",
                                          "model_name",
                                          "model_base_path",
                                          "num_load_threads",
                                          "num_unload_threads",
                                          "max_num_load_retries",
                                          "load_retry_interval_micros",
                                          "file_system_poll_wait_seconds",
                                          "flush_filesystem_caches",
                                          "tensorflow_session_parallelism",
                                          "tensorflow_intra_op_parallelism",
                                          "tensorflow_inter_op_parallelism",
                                          "tensorflow_session_config_file",
                                          "use_alts_credentials",
                                          "ssl_config_file",
                                          "platform_config_file",
                                          "per_process_gpu_memory_fraction",
                                          "saved_model_tags",
                                          "grpc_channel_arguments",
                                          "grpc_max_threads",
                                          "enable_model_warmup",
                                          "num_request_iterations_for_warmup",
                                          "monitoring_config_file",
                                          "remove_unused_fields_from_bundle_metagraph",
                                          "prefer_tflite_model",
                                          "num_tflite_pools",
                                          "num_tflite_interpreters_per_pool",
                                          "enable_signature_method_name_check",
                                          "xla_cpu_compilation_enabled",
                                          "xla_gpu_compilation_enabled",
                                          "enable_profiler",
                                          "thread_pool_factory_config_file",
                                          "mixed_precision",
                                          "skip_initialize_tpu",
                                          "enable_grpc_healthcheck_service",
                                          "enable_serialization_as_tensor_content"};
  std::set<std::string_view> known;
  for (const PersonalityFlag& flag : TensorflowFlags()) known.insert(flag.name);
  for (const std::string_view name : kTheirs) EXPECT_TRUE(known.contains(name)) << name;
}

}  // namespace tensorflow_flags_test
}  // namespace inferd::config

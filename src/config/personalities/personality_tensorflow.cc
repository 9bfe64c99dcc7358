#include "config/personalities/tensorflow_flags.h"
#include "config/personality.h"

namespace inferd::config {
namespace {

constexpr std::string_view kProgramNames[] = {"tensorflow_model_server"};

constexpr PersonalityDefault kDefaults[] = {
    {"name", "tensorflow_model_server"},
    {"grpc-port", "8500"},
    {"http", "false"},
    {"http-port", "8501"},
    {"http-inference-timeout", "30s"},
    {"metrics", "false"},
    {"http-grpc", "false"},
    {"grpc-message-bytes-max", "2147483647"},
    {"model-control-mode", "poll"},
    {"poll-interval", "1s"},
    {"accept", "tried"},
    {"readiness", "all"},
    {"load-retries", "5"},
    {"load-retry-interval", "60s"},
    {"default-max-batch-size", "0"},
    {"unconfigured-batching", "leading-dimension"},
    {"batching-probe-max", "0"},
    {"v1-status", "tfs"},
    {"v1-predict", "tfs"},
    {"tfs-result-key", "results"},
    {"tfs-metrics-path", ""},
    {"control-from", "reload"},
};

}  // namespace

const Personality& TensorflowModelServerPersonality() {
  static const Personality personality = {
      .name = "tensorflow_model_server",
      .program_names = kProgramNames,
      .flags = TensorflowFlags(),
      .defaults = kDefaults,
      .combine = CombineTensorflowFlags,
      .http_status = DefaultPersonality().http_status,
      .queue_full = base::StatusCode::kUnavailable,
      .queue_full_text = "The batch scheduling queue to which this task was submitted is full",
      .platform_names = PlatformNames::kPredictV2,
      .default_batch_limits_requests = true,
      .ignores_unknown_arguments = true,
      .unix_socket_tls = true,
      .tfs_exact = true,
      .model_not_ready = "",
  };
  return personality;
}

}  // namespace inferd::config

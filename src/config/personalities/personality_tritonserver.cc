#include <limits>

#include "config/option_table/option_value.h"
#include "config/options/server_options.h"
#include "config/personalities/tritonserver_flags.h"
#include "config/personality.h"

namespace inferd::config {
namespace {

constexpr std::string_view kProgramNames[] = {"tritonserver"};

constexpr PersonalityDefault kDefaults[] = {
    {"name", "triton"},
    {"model-control-mode", "none"},
    {"poll-interval", "15s"},
    {"json-bytes-max", "64MiB"},
    {"load-retry-interval", "0s"},
    {"accept", "tried"},
    {"log-format", "triton"},
    {"exit-on-error", "true"},
    {"default-max-batch-size", "4"},
    {"drain-timeout", "30s"},
    {"http-grpc", "false"},
    {"rate-limit", "off"},
    {"readiness", "all"},
    {"health-bodies", "empty"},
    {"allow-op-library", "/"},
    {"control-from", "models"},
    {"unconfigured-batching", "leading-dimension"},
    {"client-shared-memory-owner", "any"},
};

// For Triton's tests, whose requests wait until this many are queued.
template <uint32_t ServerOptions::*kCount>
base::Status SetDelay(ServerOptions& options, std::string_view text) {
  INFERD_ASSIGN_OR_RETURN(const int64_t value, ParseInteger(text, 0, std::numeric_limits<uint32_t>::max()));
  options.*kCount = static_cast<uint32_t>(value);
  return base::OkStatus();
}

// For Triton's tests: delays steps of gRPC calls by the value. Several variables may apply to one step.
template <int kMilliseconds, std::chrono::milliseconds GrpcDelays::*... kSteps>
base::Status DelayGrpc(ServerOptions& options, std::string_view text) {
  constexpr std::chrono::milliseconds kMost = std::chrono::hours(24);
  INFERD_ASSIGN_OR_RETURN(const int64_t value, ParseInteger(text, 0, kMost.count() / kMilliseconds));
  ((options.grpc_calls.delays.*kSteps += std::chrono::milliseconds(value * kMilliseconds)), ...);
  return base::OkStatus();
}

// Reads settings of Triton's Redis cache from variables, if its own settings lack them.
template <std::string CacheOptions::*kText>
base::Status SetCacheText(ServerOptions& options, std::string_view text) {
  if ((options.cache.*kText).empty()) options.cache.*kText = text;
  return base::OkStatus();
}

constexpr PersonalityVariable kVariables[] = {
    {"TRITONCACHE_REDIS_USERNAME", SetCacheText<&CacheOptions::user>},
    {"TRITONCACHE_REDIS_PASSWORD", SetCacheText<&CacheOptions::password>},
    {"TRITONSERVER_DELAY_SCHEDULER", SetDelay<&ServerOptions::delay_until_queued>},
    {"TRITONSERVER_BACKLOG_DELAY_SCHEDULER", SetDelay<&ServerOptions::delay_until_backlog>},
    {"TRITONSERVER_SERVER_DELAY_GRPC_RESPONSE_SEC", DelayGrpc<1000, &GrpcDelays::control>},
    {"TRITONSERVER_DELAY_GRPC_RESPONSE", DelayGrpc<1, &GrpcDelays::answer, &GrpcDelays::response>},
    {"TRITONSERVER_DELAY_GRPC_COMPLETE", DelayGrpc<1, &GrpcDelays::last_response>},
    {"TRITONSERVER_DELAY_GRPC_PROCESS", DelayGrpc<1, &GrpcDelays::call>},
    {"TRITONSERVER_DELAY_GRPC_PROCESS_ENTRY", DelayGrpc<1, &GrpcDelays::call>},
    {"TRITONSERVER_DELAY_GRPC_NOTIFICATION", DelayGrpc<1, &GrpcDelays::notice>},
    {"TRITONSERVER_DELAY_GRPC_ENQUEUE", DelayGrpc<1, &GrpcDelays::notice>},
    {"TRITONSERVER_DELAY_RESPONSE_COMPLETION", DelayGrpc<1, &GrpcDelays::answer>},
    {"TRITONSERVER_DELAY_RESPONSE_COMPLETE_EXEC", DelayGrpc<1, &GrpcDelays::answer>},
};

}  // namespace

const Personality& TritonserverPersonality() {
  static const Personality personality = {
      .name = "tritonserver",
      .program_names = kProgramNames,
      .flags = TritonserverFlags(),
      .defaults = kDefaults,
      .variables = kVariables,
      .combine = CombineTritonserverFlags,
      //              OK  CANC UNKN INVA DEAD NOTF ALRE PERM RESO FAIL ABOR OUTO UNIM INTE UNAV DATA UNAU
      .http_status = {200, 400, 400, 400, 503, 404, 400, 403, 503, 400, 503, 400, 501, 500, 503, 500, 401},
      .queue_full = base::StatusCode::kUnavailable,
      .queue_timeout = base::StatusCode::kUnavailable,
      .grpc_restriction = {.code = base::StatusCode::kUnavailable,
                           .text = "This protocol is restricted, expecting header ",
                           .header_prefix = "triton-grpc-protocol-"},
      .platform_names = PlatformNames::kTriton,
      .default_batch_limits_requests = true,
      .ignores_barred_timeouts = true,
      .triton_exact = true,
      .usage_exit_status = 1,
      .model_not_ready = "Model version not ready",
  };
  return personality;
}

}  // namespace inferd::config

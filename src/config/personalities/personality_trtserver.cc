#include "config/personalities/trtserver_flags.h"
#include "config/personality.h"

namespace inferd::config {
namespace {

constexpr std::string_view kProgramNames[] = {"trtserver", "inference_server"};

constexpr PersonalityDefault kDefaults[] = {
    {"name", "inference:0"},     {"model-control-mode", "poll"},
    {"poll-interval", "15s"},    {"exit-on-bad-configuration", "true"},
    {"readiness", "every"},      {"drain-timeout", "30s"},
    {"http-grpc", "false"},      {"default-max-batch-size", "0"},
    {"batching-probe-max", "0"},
};

std::string Announcement(std::string_view server_name, std::string_view scheme, uint16_t port) {
  std::string line = "Starting server '";
  line.append(server_name).append("' listening on ").append(scheme).append("://localhost:");
  return line + std::to_string(port);
}

}  // namespace

const Personality& TrtserverPersonality() {
  static const Personality personality = {
      .name = "trtserver",
      .program_names = kProgramNames,
      .flags = TrtserverFlags(),
      .defaults = kDefaults,
      .combine = CombineTrtserverFlags,
      .http_status = DefaultPersonality().http_status,
      .platform_names = PlatformNames::kTriton,
      .default_batch_limits_requests = true,
      .absent_gpus_are_cpus = true,
      .bad_configuration_fails_startup = true,
      .refuses_while_draining = true,
      .usage_exit_status = 1,
      .announce = Announcement,
      .model_not_ready = "",
  };
  return personality;
}

}  // namespace inferd::config

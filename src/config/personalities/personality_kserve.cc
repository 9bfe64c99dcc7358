#include "config/option_table/option_value.h"
#include "config/options/server_options.h"
#include "config/personalities/kserve_flags.h"
#include "config/personality.h"

namespace inferd::config {
namespace {

constexpr std::string_view kProgramNames[] = {"kserve"};

constexpr PersonalityDefault kDefaults[] = {
    {"name", "kserve"},        {"http-port", "8080"},          {"grpc-port", "8081"},
    {"metrics", "false"},      {"model-control-mode", "none"}, {"accept", "tried"},
    {"exit-on-error", "true"}, {"readiness", "all"},           {"health-bodies", "json"},
    {"v1-status", "kserve"},   {"v1-predict", "kserve"},       {"control-from", "names"},
};

base::Status SetEventType(ServerOptions& options, std::string_view text) {
  options.v1_events.type = text;
  return base::OkStatus();
}

base::Status SetEventSource(ServerOptions& options, std::string_view text) {
  options.v1_events.source = text;
  return base::OkStatus();
}

base::Status SetEventMerge(ServerOptions& options, std::string_view text) {
  options.v1_events.merge = ParseBool(text).value_or(false);
  return base::OkStatus();
}

constexpr PersonalityVariable kVariables[] = {
    {"CE_TYPE", SetEventType}, {"CE_SOURCE", SetEventSource}, {"CE_MERGE", SetEventMerge}};

}  // namespace

const Personality& KservePersonality() {
  static const Personality personality = {
      .name = "kserve",
      .program_names = kProgramNames,
      .flags = KserveFlags(),
      .defaults = kDefaults,
      .variables = kVariables,
      .combine = CombineKserveFlags,
      .http_status = DefaultPersonality().http_status,
      .platform_names = PlatformNames::kPredictV2,
      .ignores_unknown_arguments = true,
      .kserve_answers = true,
      .any_input_name = true,
      .model_not_ready = "",
  };
  return personality;
}

}  // namespace inferd::config

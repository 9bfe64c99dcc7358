#include "config/tfs/platform_config.h"

#include <algorithm>
#include <utility>

#include "config/model/text_format.h"
#include "config/tfs/batching_message.h"
#include "tfs/platform_config.pb.h"
#include "tfs/session_config.pb.h"

namespace inferd::config {
namespace {

namespace tf = tensorflow;
namespace tfs = tensorflow::serving;

constexpr std::string_view kTensorflowPlatform = "tensorflow";

template <typename Message>
base::Result<Message> ParseFile(std::string_view text, std::string_view file_name, std::vector<std::string>& warnings) {
  Message message;
  google::protobuf::TextFormat::ParseInfoTree places;
  INFERD_RETURN_IF_ERROR(ParseKnownFields(text, file_name, message, places, warnings)
                             .WithContext("Error parsing text-format " + message.GetDescriptor()->full_name()));
  return message;
}

base::Result<SessionConfig> ReadSession(const tf::ConfigProto& from, std::string_view file_name) {
  if (from.intra_op_parallelism_threads() < 0) {
    return std::unexpected(
        base::InvalidArgument(std::string(file_name) + ": intra_op_parallelism_threads: must not be negative"));
  }
  return SessionConfig{.intra_op_threads = from.intra_op_parallelism_threads(),
                       .inter_op_threads = std::max(0, from.inter_op_parallelism_threads()),
                       .jit_level = from.graph_options().optimizer_options().global_jit_level(),
                       .warnings = {}};
}

base::Result<PlatformConfig> ReadBundle(const tfs::SessionBundleConfig& from, std::string_view file_name) {
  PlatformConfig config;
  INFERD_ASSIGN_OR_RETURN(config.session, ReadSession(from.session_config(), file_name));
  config.saved_model_tags = {from.saved_model_tags().begin(), from.saved_model_tags().end()};
  if (from.has_batching_parameters()) {
    const Place place(tfs::BatchingParameters::descriptor(), nullptr, std::string(file_name));
    INFERD_ASSIGN_OR_RETURN(config.batching, ReadBatchingParameters(from.batching_parameters(), place));
    config.version_batching = from.enable_per_model_batching_params();
  }
  config.recorded_warmups = from.enable_model_warmup();
  const int32_t times = from.model_warmup_options().num_request_iterations().value();
  if (times > 0) config.recorded_warmup_times = times;
  return config;
}

}  // namespace

base::Result<SessionConfig> ParseSessionConfig(std::string_view text, std::string_view file_name) {
  std::vector<std::string> warnings;
  INFERD_ASSIGN_OR_RETURN(const tf::ConfigProto message, ParseFile<tf::ConfigProto>(text, file_name, warnings));
  INFERD_ASSIGN_OR_RETURN(SessionConfig config, ReadSession(message, file_name));
  config.warnings = std::move(warnings);
  return config;
}

base::Result<PlatformConfig> ParsePlatformConfig(std::string_view text, std::string_view file_name) {
  std::vector<std::string> warnings;
  INFERD_ASSIGN_OR_RETURN(const tfs::PlatformConfigMap map,
                          ParseFile<tfs::PlatformConfigMap>(text, file_name, warnings));
  tfs::SavedModelBundleSourceAdapterConfig adapter;
  bool found = false;
  for (const auto& [platform, config] : map.platform_configs()) {
    if (platform == kTensorflowPlatform) {
      found = config.source_adapter_config().UnpackTo(&adapter);
    } else {
      warnings.push_back(std::string(file_name) + ": platform \"" + platform + "\" has no effect");
    }
  }
  if (!found) {
    return std::unexpected(base::InvalidArgument(
        std::string(file_name) +
        ": platform_configs: expected a SavedModelBundleSourceAdapterConfig for the platform \"tensorflow\""));
  }
  INFERD_ASSIGN_OR_RETURN(PlatformConfig config, ReadBundle(adapter.legacy_config(), file_name));
  config.warnings = std::move(warnings);
  return config;
}

}  // namespace inferd::config

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "config/tfs/server_files.h"

// The files that configure TensorFlow for TensorFlow Serving's server, in protobuf's text format. Errors are
// INVALID_ARGUMENT with file, line and field. An unsupported field is a warning, with its place.

namespace inferd::config {

// TensorFlow's ConfigProto.
struct SessionConfig {
  int32_t intra_op_threads = 0;  // chosen by the engine if 0
  int32_t inter_op_threads = 0;  // the calling thread if 0
  int32_t jit_level = 0;         // of XLA, -1 to 2; TensorFlow's default if 0
  std::vector<std::string> warnings;
};

// For --tensorflow_session_config_file.
base::Result<SessionConfig> ParseSessionConfig(std::string_view text, std::string_view file_name);

// The settings of a PlatformConfigMap for the platform "tensorflow".
struct PlatformConfig {
  SessionConfig session;
  std::vector<std::string> saved_model_tags;   // empty if not set
  std::optional<BatchingParameters> batching;  // nullopt for no batching
  bool version_batching = false;               // versions bring their batching themselves
  bool recorded_warmups = false;
  int32_t recorded_warmup_times = 1;
  std::vector<std::string> warnings;
};

// For --platform_config_file.
base::Result<PlatformConfig> ParsePlatformConfig(std::string_view text, std::string_view file_name);

}  // namespace inferd::config

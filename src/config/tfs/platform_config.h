#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "config/tfs/server_files.h"

// The files by which TensorFlow Serving's server is told how TensorFlow runs, in protobuf's text format. Errors are
// INVALID_ARGUMENT with file, line and field; a field that is not served is a warning, with its place.

namespace inferd::config {

// TensorFlow's ConfigProto.
struct SessionConfig {
  int32_t intra_op_threads = 0;  // 0: as the engine chooses
  int32_t inter_op_threads = 0;  // 0: the calling thread
  int32_t jit_level = 0;         // of XLA, -1 to 2; 0: TensorFlow's default
  std::vector<std::string> warnings;
};

// --tensorflow_session_config_file
base::Result<SessionConfig> ParseSessionConfig(std::string_view text, std::string_view file_name);

// What a PlatformConfigMap says of the platform "tensorflow".
struct PlatformConfig {
  SessionConfig session;
  std::vector<std::string> saved_model_tags;   // empty: not said
  std::optional<BatchingParameters> batching;  // nothing: no batching
  bool version_batching = false;               // versions bring their batching themselves
  bool recorded_warmups = false;
  int32_t recorded_warmup_times = 1;
  std::vector<std::string> warnings;
};

// --platform_config_file
base::Result<PlatformConfig> ParsePlatformConfig(std::string_view text, std::string_view file_name);

}  // namespace inferd::config

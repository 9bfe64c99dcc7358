#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/status.h"
#include "config/default_batching.h"

// Further files of TensorFlow Serving's server besides the models', in protobuf's text format. Errors are
// INVALID_ARGUMENT with file, line and field.

namespace inferd::config {

inline constexpr size_t kServerFileBytesMax = 1 << 20;

// The name of the threads that run batches, if there is no file of batching parameters.
inline constexpr std::string_view kBatchThreadPool = "model_server_batch_threads";

// --batching_parameters_file, and a version's batching_params.pbtxt; defaults are TensorFlow Serving's.
struct BatchingParameters {
  int32_t max_batch_size = 1000;  // of one execution
  DefaultBatching batching;       // queue_size_max: as many as its max_enqueued_batches can hold
  int32_t batch_threads = 0;      // threads for the batches of all models; 0 if not set
  std::string thread_pool_name = "batch_threads";
};
base::Result<BatchingParameters> ParseBatchingParameters(std::string_view text, std::string_view file_name);

// Returns the path of the metrics page from --monitoring_config_file. Empty if there is none.
base::Result<std::string> ParseMonitoringPath(std::string_view text, std::string_view file_name);

// --ssl_config_file: PEM texts.
struct SslTexts {
  std::string key;
  std::string certificate;
  std::string client_ca;  // if empty, clients show no certificates
};
base::Result<SslTexts> ParseSslConfig(std::string_view text, std::string_view file_name);

}  // namespace inferd::config

#pragma once

#include <optional>
#include <string>

#include "base/status.h"
#include "config/model/model_config.h"

namespace inferd::config {

// The sampled share of a model's calls that is logged, and the prefix of the log files (TensorFlow Serving's
// LoggingConfig).
struct RequestLogging {
  std::string filename_prefix;
  double sampling_rate = 0;  // in (0, 1]

  bool operator==(const RequestLogging&) const = default;
};

// A model that the operator named explicitly, with its files anywhere, as in TensorFlow Serving. Other models are
// served because their folder is in a repository.
struct ServedModel {
  std::string name;
  std::string base_path;      // absolute; its sub-folders are the versions, leading zeros allowed
  std::string platform = {};  // as written; cannot change while the model is served
  VersionPolicy version_policy = {};
  VersionLabels version_labels = {};
  std::optional<RequestLogging> request_logging = {};
  std::string config_json = {};  // its ModelConfig as JSON, replacing the folder's; if empty, the folder's is used

  bool operator==(const ServedModel&) const = default;
};

// INVALID_ARGUMENT, in TensorFlow Serving's words, if the path is not absolute.
base::Status CheckBasePath(const std::string& model, const std::string& base_path);

}  // namespace inferd::config

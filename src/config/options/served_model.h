#pragma once

#include <optional>
#include <string>

#include "base/status.h"
#include "config/model/model_config.h"

namespace inferd::config {

// Which share of a model's calls is logged, and to files whose names begin how (TensorFlow Serving's LoggingConfig).
struct RequestLogging {
  std::string filename_prefix;
  double sampling_rate = 0;  // in (0, 1]

  bool operator==(const RequestLogging&) const = default;
};

// A model that is served because the operator named it, wherever its files are, and not because its folder is in a
// repository: TensorFlow Serving's way.
struct ServedModel {
  std::string name;
  std::string base_path;      // absolute; a folder whose sub-folders are the versions, leading zeros allowed
  std::string platform = {};  // as written; it cannot change while the model is served
  VersionPolicy version_policy = {};
  VersionLabels version_labels = {};
  std::optional<RequestLogging> request_logging = {};
  std::string config_json = {};  // its configuration, a ModelConfig, in place of one in its folder; empty: that

  bool operator==(const ServedModel&) const = default;
};

// INVALID_ARGUMENT, in TensorFlow Serving's words: it is not absolute.
base::Status CheckBasePath(const std::string& model, const std::string& base_path);

}  // namespace inferd::config

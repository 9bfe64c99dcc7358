#pragma once

#include <chrono>
#include <string>
#include <vector>

namespace inferd::config {

// A model that is served from its own folder of versions.
struct BasePathOptions {
  std::string name;
  std::string path;  // absolute
};

// Models that are named explicitly, as in TensorFlow Serving.
struct ServedModelOptions {
  std::vector<BasePathOptions> base_paths = {};
  std::string config_file = {};              // a ModelServerConfig in text format, replacing base_paths; empty for none
  std::chrono::milliseconds config_poll{0};  // interval of reading it again; 0 for never
  bool early_labels = false;                 // new labels may refer to versions that are not ready
};

}  // namespace inferd::config

#pragma once

#include <chrono>
#include <string>
#include <vector>

namespace inferd::config {

// A model served from a folder of its own, in which its versions are.
struct BasePathOptions {
  std::string name;
  std::string path;  // absolute
};

// Models that are named, wherever they are, as TensorFlow Serving has them.
struct ServedModelOptions {
  std::vector<BasePathOptions> base_paths = {};
  std::string config_file = {};              // a ModelServerConfig in text format, in place of base_paths; empty: none
  std::chrono::milliseconds config_poll{0};  // how often it is read again; 0: never
  bool early_labels = false;                 // new labels may name versions that are not ready
};

}  // namespace inferd::config

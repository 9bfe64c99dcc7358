#pragma once

#include <string>
#include <vector>

#include "ctl/validate/trial.h"

namespace inferd::ctl {

// Models, as the options with which inferd is started on them.
struct Target {
  std::vector<std::string> options;
  bool one_model = false;  // a model file or a model's folder, which can be tried; else a repository
  std::string model = {};  // if empty, the only one that the server has
};

// Returns the models at a path: a model file, a model's folder, or a repository.
Target TargetAt(const std::string& path);

// Returns the model with this name in a repository.
Target TargetIn(const std::string& repository, const std::string& model);

// Loads the model into a server of its own, and sends it a made-up request. Blocks until the model is loaded, at most
// 10 minutes.
Trial Try(const Target& target);

}  // namespace inferd::ctl

#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "inferd/engine_abi.h"

namespace inferd::torchscript {

// The settings for loading and running a model, from its configuration's parameters, with the spelling of Triton's
// backend.
struct LoadSettings {
  std::string method = "forward";
  bool freeze = true;                     // weights become constants of the graph
  bool inference_mode = true;             // if false, only gradients are off
  bool optimized = true;                  // if false, the graph runs as it is in the file
  bool new_executor = true;               // if false, the executor of old releases
  bool profiling = true;                  // if false, the first executions do not specialise the graph
  int intra_op_threads = 0;               // 0 for a number that suits the model
  std::vector<std::string> ignored = {};  // names of parameters that are kept without effect

  // INVALID_ARGUMENT, naming the parameter.
  static base::Result<LoadSettings> Parse(const inferd_load& load);
};

// Returns the names in the order of the page's table of parameters.
std::vector<std::string_view> LoadParameterNames();

}  // namespace inferd::torchscript

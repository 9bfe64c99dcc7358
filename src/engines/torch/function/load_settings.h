#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "inferd/engine_abi.h"

namespace inferd::torchscript {

// How a model is loaded and run, as its configuration's parameters say it, which are spelled as Triton's backend spells
// them.
struct LoadSettings {
  std::string method = "forward";
  bool freeze = true;                     // weights become constants of the graph
  bool inference_mode = true;             // false: gradients are off, and nothing more
  bool optimized = true;                  // false: the graph runs as the file has it
  bool new_executor = true;               // false: the executor of old releases
  bool profiling = true;                  // false: the graph is not specialised by its first executions
  int intra_op_threads = 0;               // 0: what suits the model
  std::vector<std::string> ignored = {};  // names of parameters that are kept without effect

  // INVALID_ARGUMENT: names the parameter.
  static base::Result<LoadSettings> Parse(const inferd_load& load);
};

// In the order of the page's table of parameters.
std::vector<std::string_view> LoadParameterNames();

}  // namespace inferd::torchscript

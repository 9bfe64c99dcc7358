#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "engines/openvino/input_shapes.h"
#include "inferd/engine_abi.h"

namespace inferd::openvino {

// The settings for compiling a model, from its configuration's parameters.
struct CompileSettings {
  int inference_threads = 0;                      // 0 for a number that suits the model
  bool reshape = false;                           // to the configuration's shapes
  InputShapes shapes = {};                        // of the parameters, if they have some
  std::map<std::string, std::string> properties;  // OpenVINO's own, by its names, as in the parameters

  // INVALID_ARGUMENT or PERMISSION_DENIED, naming the parameter.
  static base::Result<CompileSettings> Parse(const inferd_load& load);

  // Returns all properties for the compiler, including those that the server chooses.
  std::map<std::string, std::string> PropertiesFor(int compute_threads) const;
};

// Returns the names in the order of the page's table of parameters.
std::vector<std::string_view> CompileParameterNames();

}  // namespace inferd::openvino

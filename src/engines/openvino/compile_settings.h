#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "engines/openvino/input_shapes.h"
#include "inferd/engine_abi.h"

namespace inferd::openvino {

// How a model is compiled, as its configuration's parameters say it.
struct CompileSettings {
  int inference_threads = 0;                      // 0: what suits the model
  bool reshape = false;                           // to the shapes that the configuration declares
  InputShapes shapes = {};                        // where they say some
  std::map<std::string, std::string> properties;  // OpenVINO's own, by its names, as the parameters have them

  // INVALID_ARGUMENT, PERMISSION_DENIED: names the parameter.
  static base::Result<CompileSettings> Parse(const inferd_load& load);

  // All properties for the compiler, those included that the server chooses.
  std::map<std::string, std::string> PropertiesFor(int compute_threads) const;
};

// In the order of the page's table of parameters.
std::vector<std::string_view> CompileParameterNames();

}  // namespace inferd::openvino

#pragma once

#include <map>
#include <string>
#include <string_view>

namespace inferd::openvino {

// What a signature in a TensorFlow Lite file calls the tensors of the graph: by the tensor's name, the client's name.
struct TfliteNames {
  using Names = std::map<std::string, std::string, std::less<>>;
  Names inputs;
  Names outputs;

  bool empty() const { return inputs.empty() && outputs.empty(); }
};

// Reads the signature `serving_default`, or the only one, where TensorFlow Serving looks for it: in the file's metadata
// `signature_defs_metadata`. Returns no names if it is not there. `file` may be anything.
TfliteNames ReadTfliteNames(std::string_view file);

}  // namespace inferd::openvino

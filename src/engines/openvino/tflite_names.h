#pragma once

#include <map>
#include <string>
#include <string_view>

namespace inferd::openvino {

// A signature's names for the graph's tensors in a TensorFlow Lite file: the client's name, by the tensor's name.
struct TfliteNames {
  using Names = std::map<std::string, std::string, std::less<>>;
  Names inputs;
  Names outputs;

  bool empty() const { return inputs.empty() && outputs.empty(); }
};

// Reads the signature `serving_default`, or the only one, from the place where TensorFlow Serving looks for it: the
// file's metadata `signature_defs_metadata`. Returns no names if it is missing. `file` may have any content.
TfliteNames ReadTfliteNames(std::string_view file);

}  // namespace inferd::openvino

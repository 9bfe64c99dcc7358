#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engines/rewrite/onnx/onnx_writer.h"

namespace inferd::onnx {

// An ONNX graph under construction: an OnnxWriter, unique names, and the small constants that operators need. Not
// thread-safe.
class GraphWriter final {
 public:
  // `bytes_max` is the approximate limit of the model.
  GraphWriter(int64_t opset, uint64_t bytes_max) : bytes_max_(bytes_max), writer_(opset) {}

  // Returns the bytes left for constants.
  uint64_t bytes_left() const { return bytes_max_ - std::min<uint64_t>(bytes_max_, writer_.size()); }

  // Reserves a name, which NewName() never returns.
  void Reserve(std::string_view name) { names_.emplace(name); }
  // Returns a name such as "conv#2" that no tensor has.
  std::string NewName(std::string_view like);

  // Writes a node with one output and returns its name. An input "" is left out.
  std::string Node(std::string_view type, const std::vector<std::string>& inputs, const Attributes& attributes = {});
  // Makes this tensor the graph's output `name`, which is reserved.
  void Output(std::string_view name, const std::string& tensor);

  // Write constants; each returns its tensor's name.
  std::string Ints(std::span<const int64_t> values);  // 1-D
  std::string Scalar(float value);

  OnnxWriter& writer() { return writer_; }

 private:
  const uint64_t bytes_max_;
  OnnxWriter writer_;
  std::set<std::string, std::less<>> names_;
  std::map<std::string, size_t, std::less<>> numbers_;  // of the names made so far, by their base name
};

}  // namespace inferd::onnx

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

// An ONNX graph in the making: an OnnxWriter, names that are given once, and the small constants that operators bring
// along. Not thread-safe.
class GraphWriter final {
 public:
  // `bytes_max`: of the model, about.
  GraphWriter(int64_t opset, uint64_t bytes_max) : bytes_max_(bytes_max), writer_(opset) {}

  // What constants may still have.
  uint64_t bytes_left() const { return bytes_max_ - std::min<uint64_t>(bytes_max_, writer_.size()); }

  // NewName() never makes this one.
  void Reserve(std::string_view name) { names_.emplace(name); }
  // "conv#2", which no tensor has.
  std::string NewName(std::string_view like);

  // A node with one output, whose name is returned; "" is an input that is left out.
  std::string Node(std::string_view type, const std::vector<std::string>& inputs, const Attributes& attributes = {});
  // The graph's output `name`, which is reserved, is this tensor.
  void Output(std::string_view name, const std::string& tensor);

  // Constants; each returns its tensor's name.
  std::string Ints(std::span<const int64_t> values);  // 1-D
  std::string Scalar(float value);

  OnnxWriter& writer() { return writer_; }

 private:
  const uint64_t bytes_max_;
  OnnxWriter writer_;
  std::set<std::string, std::less<>> names_;
  std::map<std::string, size_t, std::less<>> numbers_;  // of the names made so far, by what they are like
};

}  // namespace inferd::onnx

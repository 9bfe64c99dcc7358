#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engines/rewrite/onnx/graph_writer.h"

namespace inferd::netdef {

using onnx::Attributes;
using onnx::Element;

// In this opset, Softmax takes everything from its axis on as one row, as Caffe2 does; from 13 on it does not.
inline constexpr int64_t kOpset = 11;

// The known facts about a blob's newest value.
struct Blob {
  std::string name;                           // of the tensor in the ONNX graph
  int rank = -1;                              // -1 if unknown
  std::optional<std::vector<int64_t>> shape;  // for constants
};

// The ONNX graph under construction. Blobs are variables that operators may write repeatedly, also in place. ONNX
// tensors are written once: each value of a blob becomes a tensor of its own. Not thread-safe.
class Graph final {
 public:
  // `bytes_max` is the approximate limit of the model.
  explicit Graph(uint64_t bytes_max) : out_(kOpset, bytes_max) {}

  // Reserves these names: no tensor gets one of them.
  void Reserve(std::span<const std::string_view> names) {
    for (const std::string_view name : names) out_.Reserve(name);
  }

  // Null if no operator has made it yet.
  std::shared_ptr<const Blob> Find(std::string_view blob) const;

  void AddInput(std::string_view blob, Element element, std::span<const int64_t> shape);
  // Outputs the blob's newest value under the blob's own name, which is reserved.
  void AddOutput(std::string_view blob, const Blob& value) { out_.Output(blob, value.name); }

  // Adds a further value of the blob, constant or made by a node. Returns the tensor's name.
  std::string Define(std::string_view blob, int rank);
  void DefineConstant(std::string_view blob, Element element, std::vector<int64_t> shape, std::string_view raw);

  onnx::GraphWriter& out() { return out_; }

 private:
  onnx::GraphWriter out_;
  std::map<std::string, std::shared_ptr<const Blob>, std::less<>> blobs_;
};

}  // namespace inferd::netdef

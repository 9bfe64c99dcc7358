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

// With this one, Softmax takes everything from its axis on as one row, as Caffe2 does; from 13 on it does not.
inline constexpr int64_t kOpset = 11;

// What is known of the newest value of a blob.
struct Blob {
  std::string name;                           // of the tensor in the ONNX graph
  int rank = -1;                              // -1: not known
  std::optional<std::vector<int64_t>> shape;  // of constants
};

// The ONNX graph in the making. Blobs are variables, which operators may write again and again, in place too; tensors
// of ONNX are written once: each value of a blob becomes a tensor of its own. Not thread-safe.
class Graph final {
 public:
  // `bytes_max`: of the model, about.
  explicit Graph(uint64_t bytes_max) : out_(kOpset, bytes_max) {}

  // No tensor is made with one of these names.
  void Reserve(std::span<const std::string_view> names) {
    for (const std::string_view name : names) out_.Reserve(name);
  }

  // Null: nothing has made it yet.
  std::shared_ptr<const Blob> Find(std::string_view blob) const;

  void AddInput(std::string_view blob, Element element, std::span<const int64_t> shape);
  // The blob's newest value, by the blob's own name, which is reserved.
  void AddOutput(std::string_view blob, const Blob& value) { out_.Output(blob, value.name); }

  // A further value of the blob, constant or made by a node; returns the tensor's name.
  std::string Define(std::string_view blob, int rank);
  void DefineConstant(std::string_view blob, Element element, std::vector<int64_t> shape, std::string_view raw);

  onnx::GraphWriter& out() { return out_; }

 private:
  onnx::GraphWriter out_;
  std::map<std::string, std::shared_ptr<const Blob>, std::less<>> blobs_;
};

}  // namespace inferd::netdef

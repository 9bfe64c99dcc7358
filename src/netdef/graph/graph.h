#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "netdef/graph/onnx_writer.h"

namespace inferd::netdef {

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
  explicit Graph(uint64_t bytes_max) : bytes_max_(bytes_max) {}

  // What constants may still have.
  uint64_t bytes_left() const { return bytes_max_ - std::min<uint64_t>(bytes_max_, writer_.size()); }

  // No tensor is made with one of these names.
  void Reserve(std::span<const std::string_view> names) {
    for (const std::string_view name : names) names_.emplace(name);
  }

  // Null: nothing has made it yet.
  std::shared_ptr<const Blob> Find(std::string_view blob) const;

  void AddInput(std::string_view blob, Element element, std::span<const int64_t> shape);
  // The blob's newest value, by the blob's own name, which is reserved.
  void AddOutput(std::string_view blob, const Blob& value);

  // A further value of the blob, constant or made by a node; returns the tensor's name.
  std::string Define(std::string_view blob, int rank);
  void DefineConstant(std::string_view blob, Element element, std::vector<int64_t> shape, std::string_view raw);

  // Constants that operators bring along.
  std::string Ints(std::span<const int64_t> values);  // 1-D
  std::string Scalar(float value);

  std::string NewName(std::string_view like);
  OnnxWriter& writer() { return writer_; }

 private:
  const uint64_t bytes_max_;
  OnnxWriter writer_;
  std::map<std::string, std::shared_ptr<const Blob>, std::less<>> blobs_;
  std::set<std::string, std::less<>> names_;
  std::map<std::string, size_t, std::less<>> numbers_;  // of the names made so far, by what they are like
};

}  // namespace inferd::netdef

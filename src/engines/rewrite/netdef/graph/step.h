#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "engines/rewrite/netdef/graph/arguments.h"
#include "engines/rewrite/netdef/graph/graph.h"
#include "engines/rewrite/netdef/graph/net_def.h"

namespace inferd::netdef {

// The conversion of one operator to the graph, as its rule sees it: its inputs and its outputs. args() keeps the first
// error; anything written after it is irrelevant. Not thread-safe.
class Step final {
 public:
  // `onnx` is the ONNX operator that the rule names, if any. Blobs that no operator has made are errors.
  Step(const Operator& op, std::string_view onnx, Graph* graph);

  Arguments& args() { return args_; }
  onnx::GraphWriter& out() { return graph_->out(); }
  std::string_view onnx() const { return onnx_; }

  size_t inputs() const { return inputs_.size(); }
  size_t outputs() const { return op_.outputs.size(); }
  // Checks the numbers of inputs and outputs. Returns false, and notes an error, if the operator does not have so many.
  // Outputs beyond the first may be ones that nothing here makes: an operator that reads one of them is refused.
  bool Takes(size_t inputs_min, size_t inputs_max, size_t outputs_max = 1);
  const Blob& in(size_t i) const { return *inputs_[i]; }
  std::vector<std::string> InputNames() const;

  // Writes a node whose output is the operator's first. `rank` is -1 if unknown.
  void Emit(std::string_view type, const std::vector<std::string>& inputs, const Attributes& attributes, int rank);
  // Writes a node with all of the operator's outputs.
  void EmitAll(std::string_view type, const std::vector<std::string>& inputs, const Attributes& attributes, int rank);
  // Writes an inner node; returns the name of its output.
  std::string Inner(std::string_view type, const std::vector<std::string>& inputs, const Attributes& attributes = {});
  // Makes this constant the operator's first output.
  void EmitConstant(Element element, std::vector<int64_t> shape, std::string_view raw);

  // Returns blob `i`, with one element for each channel or one for all, as a tensor that is broadcast along the
  // channels of `of`. Notes an error if the required ranks are unknown.
  std::string PerChannel(size_t i, const Blob& of);

 private:
  const Operator& op_;
  std::string_view onnx_;
  Graph* graph_;
  Arguments args_;
  std::vector<std::shared_ptr<const Blob>> inputs_;
};

}  // namespace inferd::netdef

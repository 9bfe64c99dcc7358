#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "engines/rewrite/netdef/graph/arguments.h"
#include "engines/rewrite/netdef/graph/graph.h"
#include "engines/rewrite/netdef/graph/net_def.h"

namespace inferd::netdef {

// One operator on its way into the graph: what its rule reads, and where it writes. The first thing that is wrong is
// noted by args(), and what is written after it does not matter. Not thread-safe.
class Step final {
 public:
  // `onnx`: the operator of ONNX that the rule names, if it names one. Blobs that nothing has made are noted.
  Step(const Operator& op, std::string_view onnx, Graph* graph);

  Arguments& args() { return args_; }
  onnx::GraphWriter& out() { return graph_->out(); }
  std::string_view onnx() const { return onnx_; }

  size_t inputs() const { return inputs_.size(); }
  size_t outputs() const { return op_.outputs.size(); }
  // False, which is noted: so many are not what the operator has. Outputs beyond the first may be such that nothing
  // here makes: an operator that reads one of them is refused.
  bool Takes(size_t inputs_min, size_t inputs_max, size_t outputs_max = 1);
  const Blob& in(size_t i) const { return *inputs_[i]; }
  std::vector<std::string> InputNames() const;

  // A node whose output is the first of the operator; rank -1: not known.
  void Emit(std::string_view type, const std::vector<std::string>& inputs, const Attributes& attributes, int rank);
  // A node with all of the operator's outputs.
  void EmitAll(std::string_view type, const std::vector<std::string>& inputs, const Attributes& attributes, int rank);
  // A node inside; returns the name of its output.
  std::string Inner(std::string_view type, const std::vector<std::string>& inputs, const Attributes& attributes = {});
  // The operator's first output is this constant.
  void EmitConstant(Element element, std::vector<int64_t> shape, std::string_view raw);

  // Blob `i`, which has an element for each channel or one for all, as a tensor that is broadcast along the channels of
  // `of`. Noted: the ranks that this takes are not known.
  std::string PerChannel(size_t i, const Blob& of);

 private:
  const Operator& op_;
  std::string_view onnx_;
  Graph* graph_;
  Arguments args_;
  std::vector<std::shared_ptr<const Blob>> inputs_;
};

}  // namespace inferd::netdef

#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "engines/rewrite/mxnet/graph/arguments.h"
#include "engines/rewrite/mxnet/graph/params.h"
#include "engines/rewrite/mxnet/graph/symbol.h"
#include "engines/rewrite/onnx/graph_writer.h"

namespace inferd::mxnet {

using onnx::Attributes;

// What is known of a tensor.
struct Value {
  std::string tensor;  // its name in the ONNX graph
  int rank = -1;       // -1: not known
  Element element = Element::kFloat;
  const Array* constant = nullptr;   // of parameters
  std::string_view kind = "output";  // what MXNet calls it behind the node's name: "conv_output"
};

// One node on its way into the ONNX graph: what its rule reads, and where it writes. The first thing that is wrong is
// noted by args(), and what is written after it does not matter. Not thread-safe.
class Step final {
 public:
  // `onnx`: the operator of ONNX that the rule names, if it names one. `first_input`: a tensor whose first dimension is
  // the batch; empty: there is none.
  Step(const Node& node, std::vector<Value> inputs, std::string_view onnx, std::string_view first_input,
       onnx::GraphWriter* out)
      : args_(node), inputs_(std::move(inputs)), name_(node.name), onnx_(onnx), first_input_(first_input), out_(out) {}

  Arguments& args() { return args_; }
  onnx::GraphWriter& out() { return *out_; }
  std::string_view onnx() const { return onnx_; }
  std::string_view first_input() const { return first_input_; }

  size_t inputs() const { return inputs_.size(); }
  // False, which is noted: so many inputs are not what the operator has.
  bool Takes(size_t min, size_t max);
  const Value& in(size_t i) const { return inputs_[i]; }
  std::vector<std::string> InputNames() const;
  // How many dimensions input `i` has; noted, and 1: it is not known.
  int Rank(size_t i);
  // That input `i` is of floating point, and all of one datatype; noted otherwise.
  void NeedFloating(size_t i = 0);
  void NeedOneElement();

  // Argument `name`, or `otherwise`, as an axis of `rank` dimensions, from 0 on. One that is none is noted.
  int64_t Axis(std::string_view name, int64_t otherwise, int rank);
  int64_t Axis(int64_t axis, int rank);

  // A node whose output is the first of the operator, of the datatype of the first input; rank -1: not known.
  void Emit(std::string_view type, const std::vector<std::string>& inputs, const Attributes& attributes, int rank);
  // The operator's next output is this tensor.
  void Result(std::string tensor, int rank, Element element, std::string_view kind = "output");
  // A node with `count` outputs; returns their names.
  std::vector<std::string> Split(std::string_view type, const std::vector<std::string>& inputs,
                                 const Attributes& attributes, size_t count);

  // Constants, and nodes of few inputs that are needed everywhere; each returns the tensor's name.
  std::string Number(double value, Element element);  // noted: it is no value of this datatype
  std::string Ints(const std::vector<int64_t>& values) { return out_->Ints(values); }
  std::string Inner(std::string_view type, const std::vector<std::string>& inputs, const Attributes& attributes = {}) {
    return out_->Node(type, inputs, attributes);
  }
  // Noted: an axis is none of `rank` dimensions.
  std::string SwapAxes(const std::string& tensor, int rank, int64_t a, int64_t b);
  // Input `i`, which has one dimension, as a tensor that is broadcast along axis 1 of `rank` dimensions.
  std::string PerChannel(size_t i, int rank);

  // MXNet numbers the outputs ("split_output0") where an operator has several, though only one may be for use.
  void NumberOutputs() { numbered_ = true; }
  bool numbered() const { return numbered_ || outputs_.size() > 1; }
  std::vector<Value> TakeOutputs() { return std::move(outputs_); }

 private:
  Arguments args_;
  std::vector<Value> inputs_;
  std::string_view name_;
  std::string_view onnx_;
  std::string_view first_input_;
  onnx::GraphWriter* out_;
  std::vector<Value> outputs_;
  bool numbered_ = false;
};

}  // namespace inferd::mxnet

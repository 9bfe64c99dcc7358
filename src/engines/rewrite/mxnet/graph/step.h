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

// The known facts about a tensor.
struct Value {
  std::string tensor;  // its name in the ONNX graph
  int rank = -1;       // -1 if unknown
  Element element = Element::kFloat;
  const Array* constant = nullptr;   // set for parameters
  std::string_view kind = "output";  // MXNet's suffix after the node's name: "conv_output"
};

// The conversion of one node to the ONNX graph, as its rule sees it: its inputs and its output. args() keeps the first
// error; anything written after it is irrelevant. Not thread-safe.
class Step final {
 public:
  // `onnx` is the ONNX operator that the rule names, if any. `first_input` is a tensor whose first dimension is the
  // batch; empty if there is none.
  Step(const Node& node, std::vector<Value> inputs, std::string_view onnx, std::string_view first_input,
       onnx::GraphWriter* out)
      : args_(node), inputs_(std::move(inputs)), name_(node.name), onnx_(onnx), first_input_(first_input), out_(out) {}

  Arguments& args() { return args_; }
  onnx::GraphWriter& out() { return *out_; }
  std::string_view onnx() const { return onnx_; }
  std::string_view first_input() const { return first_input_; }

  size_t inputs() const { return inputs_.size(); }
  // Checks the number of inputs. Returns false, and notes an error, if the operator does not take so many.
  bool Takes(size_t min, size_t max);
  const Value& in(size_t i) const { return inputs_[i]; }
  std::vector<std::string> InputNames() const;
  // Returns the number of dimensions of input `i`. If it is unknown, notes an error and returns 1.
  int Rank(size_t i);
  // Notes an error unless input `i` is of floating point; the second, unless all inputs have one datatype.
  void NeedFloating(size_t i = 0);
  void NeedOneElement();

  // Returns argument `name`, or `otherwise`, as an axis of `rank` dimensions, from 0 on. Notes an error if it is
  // invalid.
  int64_t Axis(std::string_view name, int64_t otherwise, int rank);
  int64_t Axis(int64_t axis, int rank);

  // Writes a node whose output is the operator's first, with the datatype of the first input. `rank` is -1 if unknown.
  void Emit(std::string_view type, const std::vector<std::string>& inputs, const Attributes& attributes, int rank);
  // Makes this tensor the operator's next output.
  void Result(std::string tensor, int rank, Element element, std::string_view kind = "output");
  // Writes a node with `count` outputs; returns their names.
  std::vector<std::string> Split(std::string_view type, const std::vector<std::string>& inputs,
                                 const Attributes& attributes, size_t count);

  // Constants, and simple nodes that many rules need. Each returns the tensor's name.
  std::string Number(double value, Element element);  // notes an error if it is not a value of this datatype
  std::string Ints(const std::vector<int64_t>& values) { return out_->Ints(values); }
  std::string Inner(std::string_view type, const std::vector<std::string>& inputs, const Attributes& attributes = {}) {
    return out_->Node(type, inputs, attributes);
  }
  // Notes an error if an axis is not one of `rank` dimensions.
  std::string SwapAxes(const std::string& tensor, int rank, int64_t a, int64_t b);
  // Returns input `i`, which has one dimension, as a tensor that is broadcast along axis 1 of `rank` dimensions.
  std::string PerChannel(size_t i, int rank);

  // MXNet numbers the outputs ("split_output0") if an operator has several, even if only one may be used.
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

// Operators that reduce elements. In MXNet a result without dimensions has shape [1].

#include <algorithm>
#include <string>
#include <vector>

#include "engines/rewrite/mxnet/operators/rules.h"

namespace inferd::mxnet {

namespace {

struct Reduction {
  std::vector<int64_t> axes;
  bool keeps = false;
  int rank = 0;  // of ONNX's result
};

// Reads the axes from the argument `axis`, or all axes; with `exclude`, all others.
Reduction ReadReduction(Step& step) {
  Reduction reduction;
  const int rank = step.Rank(0);
  std::vector<bool> named(static_cast<size_t>(rank), false);
  const std::vector<int64_t> axes = step.args().Ints("axis");
  for (const int64_t axis : axes) {
    const int64_t at = step.Axis(axis, rank);
    if (rank > 0) named[static_cast<size_t>(at)] = true;
  }
  const bool excludes = step.args().Flag("exclude", false);
  for (int64_t axis = 0; axis < rank; ++axis) {
    if (axes.empty() || named[static_cast<size_t>(axis)] != excludes) reduction.axes.push_back(axis);
  }
  if (reduction.axes.empty()) step.args().Refuse("it has no axis that is reduced");
  if (axes.empty() && excludes) step.args().Refuse("argument 'exclude' without an axis is not supported");
  reduction.keeps = step.args().Flag("keepdims", false);
  reduction.rank = reduction.keeps ? rank : rank - static_cast<int>(reduction.axes.size());
  return reduction;
}

void EmitReduced(Step& step, std::string tensor, int rank, Element element) {
  if (rank == 0) tensor = step.Inner("Reshape", {tensor, step.Ints({1})});
  step.Result(std::move(tensor), std::max(rank, 1), element);
}

void EmitReduction(Step& step, std::string_view type) {
  const Reduction reduction = ReadReduction(step);
  Attributes attributes;
  attributes.Int("keepdims", reduction.keeps ? 1 : 0);
  std::vector<std::string> inputs = {step.in(0).tensor};
  // Axes are an input of ReduceSum, but an attribute of the others.
  if (type == "ReduceSum") inputs.push_back(step.Ints(reduction.axes));
  if (type != "ReduceSum") attributes.Ints("axes", reduction.axes);
  EmitReduced(step, step.Inner(type, inputs, attributes), reduction.rank, step.in(0).element);
}

void WriteReduction(Step& step) {
  if (!step.Takes(1, 1)) return;
  step.NeedFloating();
  EmitReduction(step, step.onnx());
}

void WriteNorm(Step& step) {
  if (!step.Takes(1, 1)) return;
  step.NeedFloating();
  const int64_t order = step.args().Int("ord", 2);
  if (order != 1 && order != 2) step.args().Refuse("ord " + std::to_string(order) + " is not supported");
  if (!step.args().Text("out_dtype", "").empty()) step.args().Refuse("argument 'out_dtype' is not supported");
  EmitReduction(step, order == 1 ? "ReduceL1" : "ReduceL2");
}

// MXNet's indices are floating-point numbers.
void WriteArg(Step& step) {
  if (!step.Takes(1, 1)) return;
  step.NeedFloating();
  const bool keeps = step.args().Flag("keepdims", false);
  const auto axis = step.args().IntIfAny("axis");
  const int rank = step.Rank(0);
  std::string x = step.in(0).tensor;
  if (!axis.has_value() && keeps) step.args().Refuse("keepdims without an axis is not supported");
  if (!axis.has_value()) x = step.Inner("Reshape", {x, step.Ints({-1})});
  const std::string at = step.Inner(
      step.onnx(), {x},
      Attributes().Int("axis", axis.has_value() ? step.Axis(*axis, rank) : 0).Int("keepdims", keeps ? 1 : 0));
  const int left = !axis.has_value() ? 0 : keeps ? rank : rank - 1;
  EmitReduced(step, step.Inner("Cast", {at}, CastTo(step.in(0).element)), left, step.in(0).element);
}

void WriteArgmaxChannel(Step& step) {
  if (!step.Takes(1, 1)) return;
  step.NeedFloating();
  const int rank = step.Rank(0);
  const std::string at =
      step.Inner("ArgMax", {step.in(0).tensor}, Attributes().Int("axis", step.Axis(1, rank)).Int("keepdims", 0));
  EmitReduced(step, step.Inner("Cast", {at}, CastTo(step.in(0).element)), rank - 1, step.in(0).element);
}

void WriteTopK(Step& step) {
  if (!step.Takes(1, 1)) return;
  step.NeedFloating();
  Arguments& args = step.args();
  const int64_t k = args.Int("k", 1);
  if (k < 1) args.Refuse("k " + std::to_string(k) + " is not supported");
  const std::string_view kind = args.Text("ret_typ", "indices");
  if (kind != "indices" && kind != "value" && kind != "both") {
    args.Refuse("ret_typ '" + std::string(kind.substr(0, 100)) + "' is not supported");
  }
  const Element indices = args.Datatype("dtype", Element::kFloat);
  const int rank = step.Rank(0);
  const int64_t axis = step.Axis("axis", -1, rank);
  const bool ascends = args.Flag("is_ascend", false);
  const auto made = step.Split("TopK", {step.in(0).tensor, step.Ints({k})},
                               Attributes().Int("axis", axis).Int("largest", ascends ? 0 : 1), 2);
  if (kind != "indices") step.NumberOutputs();
  if (kind != "indices") step.Result(made[0], rank, step.in(0).element);
  if (kind != "value") step.Result(step.Inner("Cast", {made[1]}, CastTo(indices)), rank, indices);
}

constexpr Rule kReductionRules[] = {
    {"sum", WriteReduction, "ReduceSum"},
    {"sum_axis", WriteReduction, "ReduceSum"},
    {"mean", WriteReduction, "ReduceMean"},
    {"max", WriteReduction, "ReduceMax"},
    {"max_axis", WriteReduction, "ReduceMax"},
    {"min", WriteReduction, "ReduceMin"},
    {"min_axis", WriteReduction, "ReduceMin"},
    {"prod", WriteReduction, "ReduceProd"},
    {"norm", WriteNorm},
    {"argmax", WriteArg, "ArgMax"},
    {"argmin", WriteArg, "ArgMin"},
    {"argmax_channel", WriteArgmaxChannel},
    {"topk", WriteTopK},
};

}  // namespace

std::span<const Rule> ReductionRules() { return kReductionRules; }

}  // namespace inferd::mxnet

// Operators of two tensors, or of a tensor and a number. All but `broadcast_...` require tensors of one shape. ONNX
// broadcasts, which gives the same result for equal shapes.

#include <algorithm>
#include <string>
#include <vector>

#include "engines/rewrite/mxnet/operators/rules.h"

namespace inferd::mxnet {

namespace {

int WiderRank(Step& step) {
  int rank = 0;
  for (size_t i = 0; i < step.inputs(); ++i) rank = std::max(rank, step.Rank(i));
  return rank;
}

void WritePair(Step& step) {
  if (!step.Takes(2, 2)) return;
  step.NeedOneElement();
  const bool exact = step.onnx() == "Add" || step.onnx() == "Sub" || step.onnx() == "Mul";
  if (!exact) step.NeedFloating();
  step.Emit(step.onnx(), step.InputNames(), {}, WiderRank(step));
}

void WriteSum(Step& step) {
  if (!step.Takes(1, kEntriesMax)) return;
  step.NeedOneElement();
  step.NeedFloating();
  step.Emit("Sum", step.InputNames(), {}, WiderRank(step));
}

// Returns the number's tensor. Integers stay integers: a fractional number would make MXNet's result floating-point.
std::string ReadScalar(Step& step) {
  step.args().Need("scalar");
  if (!step.args().Flag("is_int", true) && !IsFloating(step.in(0).element)) {
    step.args().Refuse("a number of floating point and a tensor of integers is not supported");
  }
  return step.Number(step.args().Float("scalar", 0), step.in(0).element);
}

void WriteScalar(Step& step, bool number_first) {
  if (!step.Takes(1, 1)) return;
  const bool exact = step.onnx() == "Add" || step.onnx() == "Sub" || step.onnx() == "Mul";
  if (!exact) step.NeedFloating();
  const std::string number = ReadScalar(step);
  const std::string& x = step.in(0).tensor;
  step.Emit(step.onnx(), {number_first ? number : x, number_first ? x : number}, {}, step.in(0).rank);
}

void WriteTensorAndNumber(Step& step) { WriteScalar(step, false); }
void WriteNumberAndTensor(Step& step) { WriteScalar(step, true); }

// Writes 1 if it is true, else 0, in the datatype of the input. `onnx` may begin with "Not".
void EmitTruth(Step& step, const std::string& second, int rank) {
  step.NeedFloating();
  std::string_view type = step.onnx();
  const bool is_not = type.starts_with("Not");
  if (is_not) type.remove_prefix(3);
  std::string truth = step.Inner(type, {step.in(0).tensor, second});
  if (is_not) truth = step.Inner("Not", {truth});
  step.Emit("Cast", {truth}, CastTo(step.in(0).element), rank);
}

void WriteComparison(Step& step) {
  if (!step.Takes(2, 2)) return;
  step.NeedOneElement();
  EmitTruth(step, step.in(1).tensor, WiderRank(step));
}

void WriteComparisonWithNumber(Step& step) {
  if (step.Takes(1, 1)) EmitTruth(step, ReadScalar(step), step.in(0).rank);
}

// Selects by whether the first is not 0.
void WriteWhere(Step& step) {
  if (!step.Takes(3, 3)) return;
  if (step.in(1).element != step.in(2).element) step.args().Refuse("its inputs are of different datatypes");
  const int rank = step.Rank(1);
  if (step.Rank(0) != rank) step.args().Refuse("a condition for each row is not supported");
  const std::string zero = step.Number(0, step.in(0).element);
  const std::string truth = step.Inner("Not", {step.Inner("Equal", {step.in(0).tensor, zero})});
  step.Result(step.Inner("Where", {truth, step.in(1).tensor, step.in(2).tensor}), rank, step.in(1).element);
}

constexpr Rule kPairRules[] = {
    {"elemwise_add", WritePair, "Add"},
    {"_plus", WritePair, "Add"},
    {"_Plus", WritePair, "Add"},
    {"_grad_add", WritePair, "Add"},
    {"broadcast_add", WritePair, "Add"},
    {"broadcast_plus", WritePair, "Add"},
    {"elemwise_sub", WritePair, "Sub"},
    {"_minus", WritePair, "Sub"},
    {"_Minus", WritePair, "Sub"},
    {"broadcast_sub", WritePair, "Sub"},
    {"broadcast_minus", WritePair, "Sub"},
    {"elemwise_mul", WritePair, "Mul"},
    {"_mul", WritePair, "Mul"},
    {"_Mul", WritePair, "Mul"},
    {"broadcast_mul", WritePair, "Mul"},
    {"elemwise_div", WritePair, "Div"},
    {"_div", WritePair, "Div"},
    {"_Div", WritePair, "Div"},
    {"broadcast_div", WritePair, "Div"},
    {"_power", WritePair, "Pow"},
    {"_Power", WritePair, "Pow"},
    {"broadcast_power", WritePair, "Pow"},
    {"_maximum", WritePair, "Max"},
    {"_Maximum", WritePair, "Max"},
    {"broadcast_maximum", WritePair, "Max"},
    {"_minimum", WritePair, "Min"},
    {"_Minimum", WritePair, "Min"},
    {"broadcast_minimum", WritePair, "Min"},
    {"add_n", WriteSum},
    {"ElementWiseSum", WriteSum},
    {"_equal", WriteComparison, "Equal"},
    {"broadcast_equal", WriteComparison, "Equal"},
    {"_not_equal", WriteComparison, "NotEqual"},
    {"broadcast_not_equal", WriteComparison, "NotEqual"},
    {"_greater", WriteComparison, "Greater"},
    {"broadcast_greater", WriteComparison, "Greater"},
    {"_greater_equal", WriteComparison, "GreaterOrEqual"},
    {"broadcast_greater_equal", WriteComparison, "GreaterOrEqual"},
    {"_lesser", WriteComparison, "Less"},
    {"broadcast_lesser", WriteComparison, "Less"},
    {"_lesser_equal", WriteComparison, "LessOrEqual"},
    {"broadcast_lesser_equal", WriteComparison, "LessOrEqual"},
    {"where", WriteWhere},
    {"_plus_scalar", WriteTensorAndNumber, "Add"},
    {"_PlusScalar", WriteTensorAndNumber, "Add"},
    {"_minus_scalar", WriteTensorAndNumber, "Sub"},
    {"_MinusScalar", WriteTensorAndNumber, "Sub"},
    {"_rminus_scalar", WriteNumberAndTensor, "Sub"},
    {"_RMinusScalar", WriteNumberAndTensor, "Sub"},
    {"_mul_scalar", WriteTensorAndNumber, "Mul"},
    {"_MulScalar", WriteTensorAndNumber, "Mul"},
    {"_div_scalar", WriteTensorAndNumber, "Div"},
    {"_DivScalar", WriteTensorAndNumber, "Div"},
    {"_rdiv_scalar", WriteNumberAndTensor, "Div"},
    {"_RDivScalar", WriteNumberAndTensor, "Div"},
    {"_power_scalar", WriteTensorAndNumber, "Pow"},
    {"_PowerScalar", WriteTensorAndNumber, "Pow"},
    {"_rpower_scalar", WriteNumberAndTensor, "Pow"},
    {"_RPowerScalar", WriteNumberAndTensor, "Pow"},
    {"_maximum_scalar", WriteTensorAndNumber, "Max"},
    {"_MaximumScalar", WriteTensorAndNumber, "Max"},
    {"_minimum_scalar", WriteTensorAndNumber, "Min"},
    {"_MinimumScalar", WriteTensorAndNumber, "Min"},
    {"_equal_scalar", WriteComparisonWithNumber, "Equal"},
    {"_not_equal_scalar", WriteComparisonWithNumber, "NotEqual"},
    {"_greater_scalar", WriteComparisonWithNumber, "Greater"},
    {"_greater_equal_scalar", WriteComparisonWithNumber, "GreaterOrEqual"},
    {"_lesser_scalar", WriteComparisonWithNumber, "Less"},
    {"_lesser_equal_scalar", WriteComparisonWithNumber, "LessOrEqual"},
};

}  // namespace

std::span<const Rule> PairRules() { return kPairRules; }

}  // namespace inferd::mxnet

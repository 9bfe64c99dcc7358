// Operators that reduce elements.

#include <string>
#include <vector>

#include "engines/rewrite/netdef/operators/rules.h"

namespace inferd::netdef {

namespace {

void WriteReduce(Step& step) {
  if (!step.Takes(1, 1)) return;
  const std::vector<int64_t> axes = step.args().Ints("axes");
  const bool keeps = step.args().Int("keepdims", 1) != 0;
  Attributes attributes;
  attributes.Int("keepdims", keeps ? 1 : 0);
  if (!axes.empty()) attributes.Ints("axes", axes);
  int rank = step.in(0).rank;
  if (!keeps && axes.empty()) rank = 0;
  if (!keeps && rank >= 0) rank -= static_cast<int>(axes.size());
  step.Emit(step.onnx(), step.InputNames(), attributes, rank);
}

void WriteArg(Step& step) {
  if (!step.Takes(1, 1)) return;
  const bool keeps = step.args().Int("keepdims", 1) != 0;
  const int rank = step.in(0).rank;
  step.Emit(step.onnx(), step.InputNames(),
            Attributes().Int("axis", step.args().Int("axis", -1)).Int("keepdims", keeps ? 1 : 0),
            keeps || rank < 0 ? rank : rank - 1);
}

void WriteTopK(Step& step) {
  if (step.outputs() == 3) step.args().Refuse("a third output, of flat indices, is not supported");
  if (!step.Takes(1, 1, 2)) return;
  if (step.outputs() != 2) step.args().Refuse("it has one output");
  const int64_t k[] = {step.args().Int("k", 0)};
  if (k[0] < 1) step.args().Refuse("it has no argument 'k' above 0");
  step.EmitAll("TopK", {step.in(0).name, step.out().Ints(k)}, Attributes().Int("axis", step.args().Int("axis", -1)),
               step.in(0).rank);
}

constexpr Rule kReductionRules[] = {
    {"ReduceMean", WriteReduce, "ReduceMean"},
    {"ReduceSum", WriteReduce, "ReduceSum"},
    {"ReduceMax", WriteReduce, "ReduceMax"},
    {"ReduceMin", WriteReduce, "ReduceMin"},
    {"ReduceL1", WriteReduce, "ReduceL1"},
    {"ReduceL2", WriteReduce, "ReduceL2"},
    {"ArgMax", WriteArg, "ArgMax"},
    {"ArgMin", WriteArg, "ArgMin"},
    {"TopK", WriteTopK},
};

}  // namespace

std::span<const Rule> ReductionRules() { return kReductionRules; }

}  // namespace inferd::netdef

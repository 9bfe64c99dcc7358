// Operators that move elements and look them up.

#include <algorithm>
#include <limits>
#include <string>
#include <vector>

#include "engines/rewrite/netdef/operators/element_types.h"
#include "engines/rewrite/netdef/operators/rules.h"

namespace inferd::netdef {

namespace {

constexpr int64_t kToNhwc[] = {0, 2, 3, 1};
constexpr int64_t kToNchw[] = {0, 3, 1, 2};

int RankPlus(int rank, int64_t more) { return rank < 0 ? -1 : rank + static_cast<int>(more); }

void WriteConcat(Step& step) {
  if (!step.Takes(1, kBlobsMax, 2)) return;
  const int64_t axis = step.args().Int("axis", 1);
  const bool adds_axis = step.args().Int("add_axis", 0) != 0;
  std::vector<std::string> inputs = step.InputNames();
  if (adds_axis) {
    const int64_t axes[] = {axis};
    for (std::string& input : inputs) input = step.Inner("Unsqueeze", {input}, Attributes().Ints("axes", axes));
  }
  step.Emit("Concat", inputs, Attributes().Int("axis", axis), RankPlus(step.in(0).rank, adds_axis ? 1 : 0));
}

void WriteSplit(Step& step) {
  if (step.inputs() == 2) step.args().Refuse("sizes that are an input are not supported: they must be an argument");
  if (!step.Takes(1, 1, kBlobsMax)) return;
  step.args().MustBeZero({"add_axis"});
  Attributes attributes;
  attributes.Int("axis", step.args().Int("axis", 1));
  const std::vector<int64_t> sizes = step.args().Ints("split");
  if (!sizes.empty() && sizes.size() != step.outputs()) step.args().Refuse("it has not as many outputs as sizes");
  if (!sizes.empty()) attributes.Ints("split", sizes);
  step.EmitAll("Split", step.InputNames(), attributes, step.in(0).rank);
}

void WriteReshape(Step& step) {
  if (!step.Takes(1, 2, 2)) return;
  const std::vector<int64_t> shape = step.args().Ints("shape");
  if (step.inputs() == 2) {
    if (step.args().Has("shape")) step.args().Refuse("its shape is an input and an argument");
    const std::string sizes = step.Inner("Cast", {step.in(1).name}, CastTo(Element::kInt64));
    return step.Emit("Reshape", {step.in(0).name, sizes}, {}, -1);
  }
  if (!step.args().Has("shape")) step.args().Refuse("it has no shape");
  step.Emit("Reshape", {step.in(0).name, step.out().Ints(shape)}, {}, static_cast<int>(shape.size()));
}

void WriteFlatten(Step& step) {
  if (!step.Takes(1, 1)) return;
  step.Emit("Flatten", step.InputNames(), Attributes().Int("axis", step.args().Int("axis", 1)), 2);
}

void WriteFlattenToVec(Step& step) {
  if (!step.Takes(1, 1)) return;
  constexpr int64_t kAll[] = {-1};
  step.Emit("Reshape", {step.in(0).name, step.out().Ints(kAll)}, {}, 1);
}

void WriteTranspose(Step& step) {
  if (!step.Takes(1, 1)) return;
  const std::vector<int64_t> axes = step.args().Ints("axes");
  Attributes attributes;
  if (!axes.empty()) attributes.Ints("perm", axes);
  step.Emit("Transpose", step.InputNames(), attributes, step.in(0).rank);
}

void WriteOrder(Step& step, std::span<const int64_t> axes) {
  if (!step.Takes(1, 1)) return;
  if (step.in(0).rank != 4) step.args().Refuse("its input is not known to have four dimensions");
  step.Emit("Transpose", step.InputNames(), Attributes().Ints("perm", axes), 4);
}

void WriteToNhwc(Step& step) { WriteOrder(step, kToNhwc); }
void WriteToNchw(Step& step) { WriteOrder(step, kToNchw); }

void WriteSqueeze(Step& step, int64_t direction) {
  if (!step.Takes(1, 1)) return;
  const std::vector<int64_t> axes = step.args().Ints("dims");
  if (axes.empty()) step.args().Refuse("it has no dims");
  for (const int64_t axis : axes) {
    if (axis < 0) step.args().Refuse("dims below 0 are not supported");
  }
  step.Emit(step.onnx(), step.InputNames(), Attributes().Ints("axes", axes),
            RankPlus(step.in(0).rank, direction * static_cast<int64_t>(axes.size())));
}

void WriteSqueeze(Step& step) { WriteSqueeze(step, -1); }
void WriteExpandDims(Step& step) { WriteSqueeze(step, 1); }

// In Caffe2, a negative bound counts from behind the last element: -1 is the end.
int64_t ToOnnxBound(int64_t bound) {
  if (bound >= 0) return bound;
  return bound == -1 ? std::numeric_limits<int64_t>::max() : bound + 1;
}

void WriteSlice(Step& step) {
  if (step.inputs() == 3) step.args().Refuse("bounds that are inputs are not supported: they must be arguments");
  if (!step.Takes(1, 1)) return;
  std::vector<int64_t> starts = step.args().Ints("starts");
  std::vector<int64_t> ends = step.args().Ints("ends");
  if (starts.empty() || starts.size() != ends.size()) step.args().Refuse("its starts and ends do not fit together");
  std::vector<int64_t> axes;
  for (size_t i = 0; i < std::min(starts.size(), ends.size()); ++i) {
    axes.push_back(static_cast<int64_t>(i));
    starts[i] = ToOnnxBound(starts[i]);
    ends[i] = ToOnnxBound(ends[i]);
  }
  onnx::GraphWriter& out = step.out();
  step.Emit("Slice", {step.in(0).name, out.Ints(starts), out.Ints(ends), out.Ints(axes)}, {}, step.in(0).rank);
}

void WriteGather(Step& step) {
  if (!step.Takes(2, 2)) return;
  step.args().MustBeZero({"match_outer"});
  const int data = step.in(0).rank;
  const int indices = step.in(1).rank;
  step.Emit("Gather", step.InputNames(), Attributes().Int("axis", step.args().Int("axis", 0)),
            data < 0 || indices < 0 ? -1 : data - 1 + indices);
}

void WriteCast(Step& step) {
  if (!step.Takes(1, 1)) return;
  step.args().Ignore({"from_type"});
  const Element to = ReadElement(step.args(), "to");
  if (SizeOf(to) == 0) step.args().Refuse("argument 'to' names no datatype that is supported");
  step.Emit("Cast", step.InputNames(), CastTo(to), step.in(0).rank);
}

void WriteShape(Step& step) {
  if (step.Takes(1, 1)) step.Emit("Shape", step.InputNames(), {}, 1);
}

constexpr Rule kShapeRules[] = {
    {"Concat", WriteConcat},
    {"DepthConcat", WriteConcat},
    {"Split", WriteSplit},
    {"DepthSplit", WriteSplit},
    {"Reshape", WriteReshape},
    {"Flatten", WriteFlatten},
    {"FlattenToVec", WriteFlattenToVec},
    {"Transpose", WriteTranspose},
    {"NCHW2NHWC", WriteToNhwc},
    {"NHWC2NCHW", WriteToNchw},
    {"Squeeze", WriteSqueeze, "Squeeze"},
    {"ExpandDims", WriteExpandDims, "Unsqueeze"},
    {"Slice", WriteSlice},
    {"Gather", WriteGather},
    {"Cast", WriteCast},
    {"Shape", WriteShape},
};

}  // namespace

std::span<const Rule> ShapeRules() { return kShapeRules; }

}  // namespace inferd::netdef

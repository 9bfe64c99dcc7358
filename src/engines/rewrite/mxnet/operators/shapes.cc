// Operators that move elements and change shapes.

#include <algorithm>
#include <string>
#include <vector>

#include "engines/rewrite/mxnet/operators/reshape.h"
#include "engines/rewrite/mxnet/operators/rules.h"

namespace inferd::mxnet {

namespace {

constexpr int64_t kTileMax = 1 << 20;

void WriteFlatten(Step& step) {
  if (step.Takes(1, 1)) step.Emit("Flatten", step.InputNames(), Attributes().Int("axis", 1), 2);
}

void WriteConcat(Step& step) {
  if (!step.Takes(1, kEntriesMax)) return;
  step.NeedOneElement();
  const int rank = step.Rank(0);
  step.Emit("Concat", step.InputNames(), Attributes().Int("axis", step.Axis("dim", 1, rank)), rank);
}

void WriteStack(Step& step) {
  if (!step.Takes(1, kEntriesMax)) return;
  step.NeedOneElement();
  const int rank = step.Rank(0) + 1;
  const int64_t axis = step.Axis("axis", 0, rank);
  std::vector<std::string> inputs = step.InputNames();
  for (std::string& input : inputs) input = step.Inner("Unsqueeze", {input, step.Ints({axis})});
  step.Emit("Concat", inputs, Attributes().Int("axis", axis), rank);
}

void WriteTranspose(Step& step) {
  if (!step.Takes(1, 1)) return;
  const int rank = step.Rank(0);
  std::vector<int64_t> axes = step.args().Ints("axes");
  for (int64_t& axis : axes) axis = step.Axis(axis, rank);
  if (!axes.empty() && axes.size() != static_cast<size_t>(rank))
    step.args().Refuse("its axes are not all of its input's");
  Attributes attributes;
  if (!axes.empty()) attributes.Ints("perm", axes);
  step.Emit("Transpose", step.InputNames(), attributes, rank);
}

void WriteSwapAxis(Step& step) {
  if (!step.Takes(1, 1)) return;
  const int rank = step.Rank(0);
  const int64_t a = step.Axis("dim1", 0, rank);
  step.Result(step.SwapAxes(step.in(0).tensor, rank, a, step.Axis("dim2", 0, rank)), rank, step.in(0).element);
}

void WriteExpandDims(Step& step) {
  if (!step.Takes(1, 1)) return;
  step.args().Need("axis");
  const int rank = step.Rank(0) + 1;
  step.Emit("Unsqueeze", {step.in(0).tensor, step.Ints({step.Axis("axis", 0, rank)})}, {}, rank);
}

void WriteSqueeze(Step& step) {
  if (!step.Takes(1, 1)) return;
  std::vector<int64_t> axes = step.args().Ints("axis");
  const int rank = step.Rank(0);
  if (axes.empty()) return step.Emit("Squeeze", step.InputNames(), {}, -1);
  for (int64_t& axis : axes) axis = step.Axis(axis, rank);
  const int left = rank - static_cast<int>(axes.size());
  if (left < 1) step.args().Refuse("it leaves no dimension");
  step.Emit("Squeeze", {step.in(0).tensor, step.Ints(axes)}, {}, left);
}

void WritePad(Step& step) {
  if (!step.Takes(1, 1)) return;
  step.NeedFloating();
  Arguments& args = step.args();
  const std::string_view mode = args.Text("mode", "");
  if (mode != "constant" && mode != "edge" && mode != "reflect")
    args.Refuse("mode '" + std::string(mode.substr(0, 100)) + "' is not supported");
  const std::vector<int64_t> widths = args.Ints("pad_width");  // before and after, axis by axis
  const int rank = step.Rank(0);
  if (widths.size() != 2 * static_cast<size_t>(rank)) args.Refuse("its pad_width is not two sizes for each dimension");
  std::vector<int64_t> pads;
  for (const size_t side : {0, 1}) {
    for (size_t i = side; i < widths.size(); i += 2) pads.push_back(widths[i]);
  }
  for (const int64_t pad : pads) {
    if (pad < 0 || pad > INT32_MAX) args.Refuse("pad_width " + std::to_string(pad) + " cannot be");
  }
  const std::string value = step.Number(args.Float("constant_value", 0), step.in(0).element);
  step.Emit("Pad", {step.in(0).tensor, step.Ints(pads), value}, Attributes().Text("mode", mode), rank);
}

void WriteTile(Step& step) {
  if (!step.Takes(1, 1)) return;
  std::vector<int64_t> times = step.args().Ints("reps");
  const auto rank = static_cast<size_t>(step.Rank(0));
  if (times.empty() || times.size() > kDimensionsMax) step.args().Refuse("it has no reps, or too many");
  for (const int64_t each : times) {
    if (each < 1 || each > kTileMax) step.args().Refuse("reps " + std::to_string(each) + " is not supported");
  }
  std::string x = step.in(0).tensor;
  if (times.size() < rank) times.insert(times.begin(), rank - times.size(), 1);
  std::vector<int64_t> added;
  for (size_t i = 0; i + rank < times.size(); ++i) added.push_back(static_cast<int64_t>(i));
  if (!added.empty()) x = step.Inner("Unsqueeze", {x, step.Ints(added)});
  step.Emit("Tile", {x, step.Ints(times)}, {}, static_cast<int>(times.size()));
}

// Broadcasts axes of size 1 to the given sizes; others keep theirs.
void WriteBroadcastTo(Step& step) {
  if (!step.Takes(1, 1)) return;
  std::vector<int64_t> shape = step.args().Ints("shape");
  const int rank = step.Rank(0);
  if (shape.size() != static_cast<size_t>(rank)) step.args().Refuse("its shape has not as many sizes as its input");
  for (int64_t& size : shape) size = std::max<int64_t>(size, 1);
  step.Emit("Expand", {step.in(0).tensor, step.Ints(shape)}, {}, rank);
}

void WriteBroadcastAxis(Step& step) {
  if (!step.Takes(1, 1)) return;
  const std::vector<int64_t> axes = step.args().Ints("axis");
  const std::vector<int64_t> sizes = step.args().Ints("size");
  const int rank = step.Rank(0);
  if (axes.size() != sizes.size()) step.args().Refuse("it has not as many sizes as axes");
  std::vector<int64_t> shape(static_cast<size_t>(rank), 1);
  for (size_t i = 0; i < std::min(axes.size(), sizes.size()); ++i) {
    if (rank > 0) shape[static_cast<size_t>(step.Axis(axes[i], rank))] = std::max<int64_t>(sizes[i], 1);
  }
  step.Emit("Expand", {step.in(0).tensor, step.Ints(shape)}, {}, rank);
}

void WriteBroadcastLike(Step& step) {
  if (!step.Takes(2, 2)) return;
  if (!step.args().Ints("lhs_axes").empty() || !step.args().Ints("rhs_axes").empty()) {
    step.args().Refuse("axes are not supported");
  }
  step.Emit("Expand", {step.in(0).tensor, step.Inner("Shape", {step.in(1).tensor})}, {}, step.Rank(0));
}

void WriteBlocks(Step& step) {
  if (!step.Takes(1, 1)) return;
  const int64_t size = step.args().Int("block_size", 0);
  if (size < 1 || size > INT32_MAX) step.args().Refuse("block_size " + std::to_string(size) + " cannot be");
  step.Emit(step.onnx(), step.InputNames(), Attributes().Int("blocksize", size), 4);
}

constexpr Rule kShapeRules[] = {
    {"Flatten", WriteFlatten},
    {"flatten", WriteFlatten},
    {"Reshape", WriteReshape},
    {"reshape", WriteReshape},
    {"Concat", WriteConcat},
    {"concat", WriteConcat},
    {"stack", WriteStack},
    {"transpose", WriteTranspose},
    {"SwapAxis", WriteSwapAxis},
    {"expand_dims", WriteExpandDims},
    {"squeeze", WriteSqueeze},
    {"Pad", WritePad},
    {"tile", WriteTile},
    {"broadcast_to", WriteBroadcastTo},
    {"broadcast_axis", WriteBroadcastAxis},
    {"broadcast_like", WriteBroadcastLike},
    {"depth_to_space", WriteBlocks, "DepthToSpace"},
    {"space_to_depth", WriteBlocks, "SpaceToDepth"},
};

}  // namespace

std::span<const Rule> ShapeRules() { return kShapeRules; }

}  // namespace inferd::mxnet

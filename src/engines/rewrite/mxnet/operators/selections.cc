// Operators that select elements: slices, pieces and lookups.

#include <algorithm>
#include <limits>
#include <string>
#include <vector>

#include "engines/rewrite/mxnet/operators/rules.h"

namespace inferd::mxnet {

namespace {

constexpr int64_t kEnd = std::numeric_limits<int64_t>::max();
constexpr int64_t kBegin = std::numeric_limits<int64_t>::min();
constexpr int64_t kPiecesMax = 4096;

std::string SliceOf(Step& step, const std::vector<int64_t>& begin, const std::vector<int64_t>& end,
                    const std::vector<int64_t>& axes, const std::vector<int64_t>& strides) {
  return step.Inner("Slice",
                    {step.in(0).tensor, step.Ints(begin), step.Ints(end), step.Ints(axes), step.Ints(strides)});
}

void WriteSlice(Step& step) {
  if (!step.Takes(1, 1)) return;
  const OptionalInts begin = step.args().IntsOrNone("begin");
  const OptionalInts end = step.args().IntsOrNone("end");
  OptionalInts strides = step.args().IntsOrNone("step");
  if (strides.empty()) strides.assign(begin.size(), std::nullopt);
  const int rank = step.Rank(0);
  if (begin.empty() || begin.size() != end.size() || begin.size() != strides.size() ||
      begin.size() > static_cast<size_t>(rank)) {
    return step.args().Refuse("its begin, end and step do not fit together");
  }
  std::vector<int64_t> starts;
  std::vector<int64_t> ends;
  std::vector<int64_t> axes;
  std::vector<int64_t> steps;
  for (size_t i = 0; i < begin.size(); ++i) {
    const int64_t stride = strides[i].value_or(1);
    if (stride == 0) step.args().Refuse("a step of 0 cannot be");
    starts.push_back(begin[i].value_or(stride > 0 ? 0 : kEnd));
    ends.push_back(end[i].value_or(stride > 0 ? kEnd : kBegin));
    axes.push_back(static_cast<int64_t>(i));
    steps.push_back(stride);
  }
  step.Result(SliceOf(step, starts, ends, axes, steps), rank, step.in(0).element);
}

void WriteSliceAxis(Step& step) {
  if (!step.Takes(1, 1)) return;
  step.args().Need("axis");
  const int rank = step.Rank(0);
  const int64_t axis = step.Axis("axis", 0, rank);
  const int64_t begin = step.args().Int("begin", 0);
  step.Result(SliceOf(step, {begin}, {step.args().IntIfAny("end").value_or(kEnd)}, {axis}, {1}), rank,
              step.in(0).element);
}

void WriteSliceLike(Step& step) {
  if (!step.Takes(2, 2)) return;
  std::vector<int64_t> axes = step.args().Ints("axes");
  const int rank = step.Rank(0);
  for (int64_t& axis : axes) axis = step.Axis(axis, std::min(rank, step.Rank(1)));
  for (int64_t axis = 0; step.args().Ints("axes").empty() && axis < rank; ++axis) axes.push_back(axis);
  const std::string sizes = step.Inner("Shape", {step.in(1).tensor});
  const std::string ends = step.Inner("Gather", {sizes, step.Ints(axes)}, Attributes().Int("axis", 0));
  step.Emit("Slice", {step.in(0).tensor, step.Ints(std::vector<int64_t>(axes.size(), 0)), ends, step.Ints(axes)}, {},
            rank);
}

// Selects the rows and columns of the second's size, from an offset on.
void WriteCrop(Step& step) {
  if (!step.Takes(2, 2)) return;
  step.args().MustBeFalse({"center_crop"});
  for (const int64_t size : step.args().Ints("h_w")) {
    if (size != 0) step.args().Refuse("argument 'h_w' is not supported");
  }
  std::vector<int64_t> offset = step.args().Ints("offset");
  offset.resize(2, 0);
  if (step.Rank(0) != 4 || step.Rank(1) != 4) step.args().Refuse("its inputs have not four dimensions");
  if (std::min(offset[0], offset[1]) < 0) step.args().Refuse("an offset below 0 cannot be");
  const std::string sizes = step.Inner("Shape", {step.in(1).tensor});
  const std::string size = step.Inner("Gather", {sizes, step.Ints({2, 3})}, Attributes().Int("axis", 0));
  const std::string begin = step.Ints(offset);
  step.Emit("Slice", {step.in(0).tensor, begin, step.Inner("Add", {begin, size}), step.Ints({2, 3})}, {}, 4);
}

void WriteReverse(Step& step) {
  if (!step.Takes(1, 1)) return;
  std::vector<int64_t> axes = step.args().Ints("axis");
  const int rank = step.Rank(0);
  if (axes.empty()) step.args().Refuse("it has no argument 'axis'");
  for (int64_t& axis : axes) axis = step.Axis(axis, rank);
  const std::vector<int64_t> minus(axes.size(), -1);
  step.Result(SliceOf(step, minus, std::vector<int64_t>(axes.size(), kBegin), axes, minus), rank, step.in(0).element);
}

// Writes the pieces as the operator's outputs, without the axis if `squeezes`.
void EmitPieces(Step& step, const std::vector<std::string>& pieces, int64_t axis, bool squeezes) {
  const int rank = step.in(0).rank;
  if (squeezes && rank < 2) step.args().Refuse("it leaves no dimension");
  for (const std::string& piece : pieces) {
    step.Result(squeezes ? step.Inner("Squeeze", {piece, step.Ints({axis})}) : piece, squeezes ? rank - 1 : rank,
                step.in(0).element);
  }
}

void WriteEqualPieces(Step& step, int64_t count, int64_t axis, bool squeezes) {
  if (count < 1 || count > kPiecesMax) return step.args().Refuse("so many outputs are not supported");
  if (count == 1) return EmitPieces(step, {step.Inner("Identity", step.InputNames())}, axis, squeezes);
  EmitPieces(step, step.Split("Split", step.InputNames(), Attributes().Int("axis", axis), static_cast<size_t>(count)),
             axis, squeezes);
}

void WriteSliceChannel(Step& step) {
  if (!step.Takes(1, 1)) return;
  const int64_t axis = step.Axis("axis", 1, step.Rank(0));
  WriteEqualPieces(step, step.args().Int("num_outputs", 0), axis, step.args().Flag("squeeze_axis", false));
}

void WriteSplit(Step& step) {
  if (!step.Takes(1, 1)) return;
  const int64_t axis = step.Axis("axis", 1, step.Rank(0));
  const bool squeezes = step.args().Flag("squeeze_axis", false);
  const std::vector<int64_t> begins = step.args().Ints("indices");
  const int64_t sections = step.args().Int("sections", 0);
  if (sections > 0) return WriteEqualPieces(step, sections, axis, squeezes);
  if (begins.empty() || begins[0] != 0) step.args().Refuse("its indices do not begin with 0");
  std::vector<std::string> pieces;
  for (size_t i = 0; i < begins.size(); ++i) {
    const int64_t end = i + 1 < begins.size() ? begins[i + 1] : kEnd;
    pieces.push_back(SliceOf(step, {begins[i]}, {end}, {axis}, {1}));
  }
  EmitPieces(step, pieces, axis, squeezes);
}

// Returns indices in ONNX's form, clipped to the existing range.
std::string ClippedIndices(Step& step, size_t i, const std::string& count) {
  const std::string indices = step.Inner("Cast", {step.in(i).tensor}, CastTo(Element::kInt64));
  const std::string last = step.Inner("Sub", {count, step.Number(1, Element::kInt64)});
  return step.Inner("Min", {step.Inner("Max", {indices, step.Number(0, Element::kInt64)}), last});
}

// Returns the size of input `i` along that axis, as a scalar.
std::string CountAlong(Step& step, size_t i, int64_t axis) {
  return step.Inner("Gather",
                    {step.Inner("Shape", {step.in(i).tensor}), step.Number(static_cast<double>(axis), Element::kInt64)},
                    Attributes().Int("axis", 0));
}

void WriteEmbedding(Step& step) {
  if (!step.Takes(2, 2)) return;
  step.args().Ignore({"input_dim", "output_dim", "dtype", "sparse_grad"});  // the weights have it
  const int rank = step.Rank(0) + step.Rank(1) - 1;
  const std::string indices = ClippedIndices(step, 0, CountAlong(step, 1, 0));
  step.Result(step.Inner("Gather", {step.in(1).tensor, indices}, Attributes().Int("axis", 0)), rank,
              step.in(1).element);
}

void WriteTake(Step& step) {
  if (!step.Takes(2, 2)) return;
  const int rank = step.Rank(0);
  const int64_t axis = step.Axis("axis", 0, rank);
  const std::string_view mode = step.args().Text("mode", "clip");
  const std::string count = CountAlong(step, 0, axis);
  std::string indices;
  if (mode == "clip") indices = ClippedIndices(step, 1, count);
  if (mode == "wrap") {
    indices = step.Inner("Mod", {step.Inner("Cast", {step.in(1).tensor}, CastTo(Element::kInt64)), count});
  }
  if (indices.empty()) step.args().Refuse("mode '" + std::string(mode.substr(0, 100)) + "' is not supported");
  step.Emit("Gather", {step.in(0).tensor, indices}, Attributes().Int("axis", axis), rank - 1 + step.Rank(1));
}

void WriteOneHot(Step& step) {
  if (!step.Takes(1, 1)) return;
  Arguments& args = step.args();
  args.Need("depth");
  const int64_t depth = args.Int("depth", 1);
  if (depth < 1 || depth > INT32_MAX) args.Refuse("depth " + std::to_string(depth) + " cannot be");
  const Element element = args.Datatype("dtype", Element::kFloat);
  if (element != Element::kFloat) args.Refuse("a dtype other than float32 is not supported");
  const std::string indices = step.Inner("Cast", {step.in(0).tensor}, CastTo(Element::kInt64));
  // Negative ones would count from the end: depth replaces them.
  const std::string none = step.Inner("Less", {indices, step.Number(0, Element::kInt64)});
  const std::string safe = step.Inner("Where", {none, step.Ints({depth}), indices});
  const std::string on = step.Inner("Reshape", {step.Number(args.Float("on_value", 1), element), step.Ints({1})});
  const std::string off = step.Inner("Reshape", {step.Number(args.Float("off_value", 0), element), step.Ints({1})});
  const std::string values = step.Inner("Concat", {off, on}, Attributes().Int("axis", 0));
  const int rank = step.Rank(0) + 1;
  step.Result(step.Inner("OneHot", {safe, step.Ints({depth}), values}, Attributes().Int("axis", -1)), rank, element);
}

constexpr Rule kSelectionRules[] = {
    {"slice", WriteSlice},     {"slice_axis", WriteSliceAxis}, {"slice_like", WriteSliceLike},
    {"Crop", WriteCrop},       {"reverse", WriteReverse},      {"SliceChannel", WriteSliceChannel},
    {"_split_v2", WriteSplit}, {"Embedding", WriteEmbedding},  {"take", WriteTake},
    {"one_hot", WriteOneHot},
};

}  // namespace

std::span<const Rule> SelectionRules() { return kSelectionRules; }

}  // namespace inferd::mxnet

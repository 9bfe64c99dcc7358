#include "engines/rewrite/mxnet/operators/reshape.h"

#include <algorithm>
#include <string>
#include <vector>

namespace inferd::mxnet {

namespace {

constexpr int64_t kKeep = 0;
constexpr int64_t kWhatIsLeft = -1;
constexpr int64_t kKeepRest = -2;
constexpr int64_t kJoin = -3;
constexpr int64_t kDivide = -4;

// A dimension of the result: a size (-1 for the rest), an axis of the input, the product of two axes, or an axis
// divided by a size.
struct Dimension {
  int64_t size = 1;
  int axis = -1;
  bool joined = false;  // with the next axis
  int64_t divisor = 1;
};

class Plan final {
 public:
  Plan(Step& step, int rank) : step_(step), rank_(rank) {}

  std::vector<Dimension> Make(const std::vector<int64_t>& codes) {
    for (size_t i = 0; i < codes.size(); ++i) {
      const int64_t code = codes[i];
      if (code == kKeep) {
        Keep();
      } else if (code == kKeepRest) {
        while (axis_ < rank_) Keep();
      } else if (code == kJoin) {
        made_.push_back({.axis = Next(), .joined = true});
        Next();
      } else if (code == kDivide) {
        if (i + 2 >= codes.size()) step_.args().Refuse("its shape ends behind -4");
        if (i + 2 < codes.size()) Divide(codes[i + 1], codes[i + 2]);
        i += 2;
      } else {
        if (code < kWhatIsLeft) step_.args().Refuse("its shape has " + std::to_string(code) + ", which is not known");
        made_.push_back({.size = code});
        ++axis_;
      }
    }
    return std::move(made_);
  }

 private:
  int Next() {
    if (axis_ >= rank_) step_.args().Refuse("its shape has more than its input's dimensions");
    return axis_++;
  }

  void Keep() { made_.push_back({.axis = Next()}); }

  void Divide(int64_t first, int64_t second) {
    const int axis = Next();
    if ((first < 1 && first != kWhatIsLeft) || (second < 1 && second != kWhatIsLeft) || (first < 1 && second < 1)) {
      step_.args().Refuse("its shape has no two sizes behind -4");
      return;
    }
    made_.push_back(first > 0 ? Dimension{.size = first} : Dimension{.axis = axis, .divisor = second});
    made_.push_back(second > 0 ? Dimension{.size = second} : Dimension{.axis = axis, .divisor = first});
  }

  Step& step_;
  const int rank_;
  int axis_ = 0;  // the next axis of the input
  std::vector<Dimension> made_;
};

// Returns an axis's size from a 1-D tensor with the input's sizes.
std::string SizeOfAxis(Step& step, const std::string& sizes, int axis) {
  return step.Inner("Gather", {sizes, step.Ints({axis})}, Attributes().Int("axis", 0));
}

std::string ShapeOf(Step& step, const std::vector<Dimension>& dimensions) {
  std::vector<int64_t> plain;
  for (size_t i = 0; i < dimensions.size(); ++i) {
    const Dimension& each = dimensions[i];
    if (each.axis < 0) plain.push_back(each.size);
    // ONNX can also keep a dimension that stays at its position.
    if (each.axis == static_cast<int>(i) && !each.joined && each.divisor == 1) plain.push_back(0);
  }
  if (plain.size() == dimensions.size()) return step.Ints(plain);
  const std::string sizes = step.Inner("Shape", {step.in(0).tensor});
  std::vector<std::string> pieces;
  for (const Dimension& each : dimensions) {
    if (each.axis < 0) {
      pieces.push_back(step.Ints({each.size}));
      continue;
    }
    std::string piece = SizeOfAxis(step, sizes, each.axis);
    if (each.joined) piece = step.Inner("Mul", {piece, SizeOfAxis(step, sizes, each.axis + 1)});
    if (each.divisor != 1) piece = step.Inner("Div", {piece, step.Ints({each.divisor})});
    pieces.push_back(piece);
  }
  return step.Inner("Concat", pieces, Attributes().Int("axis", 0));
}

// Mirrors the dimensions: codes and axes are counted from the last one.
void Mirror(std::vector<Dimension>* dimensions, int rank) {
  std::ranges::reverse(*dimensions);
  for (Dimension& each : *dimensions) {
    if (each.axis >= 0) each.axis = rank - 1 - each.axis - (each.joined ? 1 : 0);
  }
}

}  // namespace

void WriteReshape(Step& step) {
  if (!step.Takes(1, 1)) return;
  Arguments& args = step.args();
  args.MustBeFalse({"keep_highest"});
  for (const int64_t size : args.Ints("target_shape")) {
    if (size != 0) args.Refuse("argument 'target_shape' is not supported");
  }
  std::vector<int64_t> codes = args.Ints("shape");
  const bool mirrored = args.Flag("reverse", false);
  if (codes.empty()) args.Refuse("it has no argument 'shape'");
  if (mirrored && std::ranges::count(codes, kDivide) > 0) args.Refuse("-4 in a reverse shape is not supported");
  if (std::ranges::count(codes, kWhatIsLeft) > 1 && std::ranges::count(codes, kDivide) == 0) {
    args.Refuse("its shape has -1 more than once");
  }
  const int rank = step.Rank(0);
  if (mirrored) std::ranges::reverse(codes);
  std::vector<Dimension> dimensions = Plan(step, rank).Make(codes);
  if (mirrored) Mirror(&dimensions, rank);
  step.Emit("Reshape", {step.in(0).tensor, ShapeOf(step, dimensions)}, {}, static_cast<int>(dimensions.size()));
}

}  // namespace inferd::mxnet

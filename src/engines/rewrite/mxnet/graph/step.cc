#include "engines/rewrite/mxnet/graph/step.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

namespace inferd::mxnet {

namespace {

// Integers up to this are exact in floating point.
constexpr double kExactMax = 1 << 24;

template <typename T>
std::string RawOf(double value) {
  const T number = static_cast<T>(value);
  return {reinterpret_cast<const char*>(&number), sizeof(number)};
}

}  // namespace

bool Step::Takes(size_t min, size_t max) {
  if (inputs() >= min && inputs() <= max) return true;
  args_.Refuse("it has " + std::to_string(inputs()) + " inputs, which is not supported");
  return false;
}

std::vector<std::string> Step::InputNames() const {
  std::vector<std::string> names;
  for (const Value& input : inputs_) names.push_back(input.tensor);
  return names;
}

int Step::Rank(size_t i) {
  if (inputs_[i].rank >= 0) return inputs_[i].rank;
  args_.Refuse("how many dimensions its input has is not known");
  return 1;
}

void Step::NeedFloating(size_t i) {
  if (!IsFloating(inputs_[i].element)) args_.Refuse("its input is not of floating point, which is not supported");
}

void Step::NeedOneElement() {
  for (const Value& input : inputs_) {
    if (input.element != inputs_[0].element) args_.Refuse("its inputs are of different datatypes");
  }
}

int64_t Step::Axis(std::string_view name, int64_t otherwise, int rank) {
  return Axis(args_.Int(name, otherwise), rank);
}

int64_t Step::Axis(int64_t axis, int rank) {
  if (axis >= -rank && axis < rank) return axis < 0 ? axis + rank : axis;
  args_.Refuse("axis " + std::to_string(axis) + " is none of its " + std::to_string(rank) + " dimensions");
  return 0;
}

void Step::Emit(std::string_view type, const std::vector<std::string>& inputs, const Attributes& attributes, int rank) {
  const std::string outputs[] = {out_->NewName(name_)};
  out_->writer().Node(type, inputs, outputs, attributes);
  Result(outputs[0], rank, inputs_.empty() ? Element::kFloat : inputs_[0].element);
}

void Step::Result(std::string tensor, int rank, Element element, std::string_view kind) {
  outputs_.push_back({.tensor = std::move(tensor), .rank = rank, .element = element, .kind = kind});
}

std::vector<std::string> Step::Split(std::string_view type, const std::vector<std::string>& inputs,
                                     const Attributes& attributes, size_t count) {
  std::vector<std::string> outputs;
  for (size_t i = 0; i < count; ++i) outputs.push_back(out_->NewName(name_));
  out_->writer().Node(type, inputs, outputs, attributes);
  return outputs;
}

std::string Step::Number(double value, Element element) {
  if (element == Element::kFloat) return out_->Scalar(static_cast<float>(value));
  if (element == Element::kFloat16) return Inner("Cast", {out_->Scalar(static_cast<float>(value))}, CastTo(element));
  std::string raw;
  switch (element) {
    case Element::kDouble: raw = RawOf<double>(value); break;
    case Element::kInt32: raw = RawOf<int32_t>(std::abs(value) <= kExactMax ? value : 0); break;
    case Element::kInt64: raw = RawOf<int64_t>(std::abs(value) <= kExactMax ? value : 0); break;
    default: args_.Refuse("a number of its input's datatype is not supported"); return {};
  }
  if (element != Element::kDouble && (std::abs(value) > kExactMax || value != std::trunc(value))) {
    args_.Refuse(std::to_string(value) + " is no value of its input's datatype");
  }
  std::string name = out_->NewName("number");
  out_->writer().Constant(name, element, {}, raw);
  return name;
}

std::string Step::SwapAxes(const std::string& tensor, int rank, int64_t a, int64_t b) {
  if (a == b) return tensor;
  if (std::min(a, b) < 0 || std::max(a, b) >= rank) {
    args_.Refuse("its input has too few dimensions");
    return tensor;
  }
  std::vector<int64_t> axes(static_cast<size_t>(rank));
  std::iota(axes.begin(), axes.end(), 0);
  std::swap(axes[static_cast<size_t>(a)], axes[static_cast<size_t>(b)]);
  return Inner("Transpose", {tensor}, Attributes().Ints("perm", axes));
}

std::string Step::PerChannel(size_t i, int rank) {
  if (inputs_[i].rank != 1) args_.Refuse("its weights have not one dimension");
  if (rank <= 2) return inputs_[i].tensor;
  std::vector<int64_t> axes(static_cast<size_t>(rank - 2));
  std::iota(axes.begin(), axes.end(), 1);
  return Inner("Unsqueeze", {inputs_[i].tensor, Ints(axes)});
}

}  // namespace inferd::mxnet

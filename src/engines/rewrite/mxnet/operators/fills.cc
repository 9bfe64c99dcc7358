// Operators that make tensors from their arguments only, or from another's shape.

#include <string>
#include <vector>

#include "engines/rewrite/mxnet/operators/rules.h"

namespace inferd::mxnet {

namespace {

constexpr int64_t kFillMax = 1 << 26;  // elements

// A first size of 0 is one that MXNet infers from the tensor's use: the states of unrolled recurrent nets have as many
// rows as the batch.
std::string ShapeOfFill(Step& step, const std::vector<int64_t>& shape) {
  int64_t count = 1;
  for (size_t i = 0; i < shape.size(); ++i) {
    const int64_t size = i == 0 && shape[i] == 0 ? 1 : shape[i];
    if (size < 1 || __builtin_mul_overflow(count, size, &count) || count > kFillMax) {
      step.args().Refuse("its shape is not known, or has more than 67108864 elements");
      return {};
    }
  }
  if (shape.empty()) step.args().Refuse("it has no shape");
  if (shape.empty() || shape[0] != 0) return step.Ints(shape);
  if (step.first_input().empty()) step.args().Refuse("its shape depends on a batch, and the model has no input");
  const std::string sizes = step.Inner("Shape", {std::string(step.first_input())});
  const std::string batch = step.Inner("Gather", {sizes, step.Ints({0})}, Attributes().Int("axis", 0));
  if (shape.size() == 1) return batch;
  return step.Inner("Concat", {batch, step.Ints({shape.begin() + 1, shape.end()})}, Attributes().Int("axis", 0));
}

void WriteFill(Step& step, double value) {
  if (!step.Takes(0, 0)) return;
  step.args().Ignore({"ctx"});
  const Element element = step.args().Datatype("dtype", Element::kFloat);
  const std::vector<int64_t> shape = step.args().Ints("shape");
  const std::string sizes = ShapeOfFill(step, shape);
  step.Result(step.Inner("Expand", {step.Number(value, element), sizes}), static_cast<int>(shape.size()), element);
}

void WriteZeros(Step& step) { WriteFill(step, 0); }
void WriteOnes(Step& step) { WriteFill(step, 1); }
void WriteFull(Step& step) {
  step.args().Need("value");
  WriteFill(step, step.args().Float("value", 0));
}

void WriteFillLike(Step& step, double value) {
  if (!step.Takes(1, 1)) return;
  const std::string number = step.Number(value, step.in(0).element);
  step.Emit("Expand", {number, step.Inner("Shape", step.InputNames())}, {}, step.in(0).rank);
}

void WriteZerosLike(Step& step) { WriteFillLike(step, 0); }
void WriteOnesLike(Step& step) { WriteFillLike(step, 1); }

constexpr Rule kFillRules[] = {
    {"_zeros", WriteZeros},         {"_ones", WriteOnes},         {"_full", WriteFull},
    {"zeros_like", WriteZerosLike}, {"ones_like", WriteOnesLike},
};

}  // namespace

std::span<const Rule> FillRules() { return kFillRules; }

}  // namespace inferd::mxnet

// Operators of single elements.

#include <algorithm>
#include <limits>
#include <string>
#include <vector>

#include "engines/rewrite/netdef/operators/rules.h"

namespace inferd::netdef {

namespace {

void WriteUnary(Step& step) {
  if (step.Takes(1, 1)) step.Emit(step.onnx(), step.InputNames(), {}, step.in(0).rank);
}

// For copies, and operators that only have an effect in training or between devices.
void WriteCopy(Step& step) {
  if (step.Takes(1, 1)) step.Emit("Identity", step.InputNames(), {}, step.in(0).rank);
}

void WriteNary(Step& step) {
  if (!step.Takes(1, kBlobsMax)) return;
  step.Emit(step.onnx(), step.InputNames(), {}, step.in(0).rank);
}

// Returns the second operand if `broadcast` is set: its dimensions are those of the first from `axis` on.
std::string WithAxis(Step& step, int64_t axis) {
  const Blob& a = step.in(0);
  const Blob& b = step.in(1);
  if (a.rank < 0 || b.rank < 0) {
    step.args().Refuse("broadcast with an axis needs to know how many dimensions its inputs have");
    return b.name;
  }
  const int64_t behind = a.rank - axis - b.rank;
  if (axis < 0 || behind < 0) {
    step.args().Refuse("axis " + std::to_string(axis) + " is not one that its inputs can have");
    return b.name;
  }
  if (behind == 0) return b.name;
  std::vector<int64_t> axes;
  for (int64_t i = 0; i < behind; ++i) axes.push_back(b.rank + i);
  return step.Inner("Unsqueeze", {b.name}, Attributes().Ints("axes", axes));
}

void WriteBinary(Step& step) {
  if (!step.Takes(2, 2)) return;
  Arguments& args = step.args();
  const bool broadcasts = args.Int("broadcast", 0) != 0;
  const int64_t axis = args.Int("axis", -1);
  if (!args.Text("axis_str", "").empty()) args.Refuse("argument 'axis_str' is not supported");
  if (axis != -1 && !broadcasts) args.Refuse("an axis without broadcast is not supported");
  const int a = step.in(0).rank;
  const int b = step.in(1).rank;
  if (broadcasts && a >= 0 && b > a) args.Refuse("its second input has more dimensions than its first");
  const std::string second = broadcasts && axis != -1 ? WithAxis(step, axis) : step.in(1).name;
  step.Emit(step.onnx(), {step.in(0).name, second}, {}, broadcasts ? a : a < 0 || b < 0 ? -1 : std::max(a, b));
}

void WriteClip(Step& step) {
  if (!step.Takes(1, 1)) return;
  const float least = step.args().Float("min", std::numeric_limits<float>::lowest());
  const float most = step.args().Float("max", std::numeric_limits<float>::max());
  step.Emit("Clip", {step.in(0).name, step.out().Scalar(least), step.out().Scalar(most)}, {}, step.in(0).rank);
}

void WriteLeakyRelu(Step& step) {
  if (!step.Takes(1, 1)) return;
  step.Emit("LeakyRelu", step.InputNames(), Attributes().Float("alpha", step.args().Float("alpha", 0.01F)),
            step.in(0).rank);
}

void WriteElu(Step& step) {
  if (!step.Takes(1, 1)) return;
  step.Emit("Elu", step.InputNames(), Attributes().Float("alpha", step.args().Float("alpha", 1)), step.in(0).rank);
}

void WriteSelu(Step& step) {
  if (!step.Takes(1, 1)) return;
  step.Emit("Selu", step.InputNames(),
            Attributes()
                .Float("alpha", step.args().Float("alpha", 1.6732632423543772F))
                .Float("gamma", step.args().Float("scale", 1.0507009873554805F)),
            step.in(0).rank);
}

void WritePRelu(Step& step) {
  if (!step.Takes(2, 2)) return;
  step.Emit("PRelu", {step.in(0).name, step.PerChannel(1, step.in(0))}, {}, step.in(0).rank);
}

void WriteScale(Step& step) {
  if (!step.Takes(1, 1)) return;
  step.Emit("Mul", {step.in(0).name, step.out().Scalar(step.args().Float("scale", 1))}, {}, step.in(0).rank);
}

void WriteSqr(Step& step) {
  if (step.Takes(1, 1)) step.Emit("Mul", {step.in(0).name, step.in(0).name}, {}, step.in(0).rank);
}

void WritePow(Step& step) {
  if (!step.Takes(1, 1)) return;
  if (!step.args().Has("exponent")) step.args().Refuse("it has no argument 'exponent'");
  step.Emit("Pow", {step.in(0).name, step.out().Scalar(step.args().Float("exponent", 1))}, {}, step.in(0).rank);
}

constexpr Rule kElementwiseRules[] = {
    {"Relu", WriteUnary, "Relu"},
    {"Sigmoid", WriteUnary, "Sigmoid"},
    {"Tanh", WriteUnary, "Tanh"},
    {"Softplus", WriteUnary, "Softplus"},
    {"Softsign", WriteUnary, "Softsign"},
    {"Exp", WriteUnary, "Exp"},
    {"Log", WriteUnary, "Log"},
    {"Abs", WriteUnary, "Abs"},
    {"Sqrt", WriteUnary, "Sqrt"},
    {"Negative", WriteUnary, "Neg"},
    {"Floor", WriteUnary, "Floor"},
    {"Ceil", WriteUnary, "Ceil"},
    {"Sqr", WriteSqr},
    {"Pow", WritePow},
    {"Scale", WriteScale},
    {"Copy", WriteCopy},
    {"Alias", WriteCopy},
    {"StopGradient", WriteCopy},
    {"EnsureCPUOutput", WriteCopy},
    {"CopyCPUToGPU", WriteCopy},
    {"CopyGPUToCPU", WriteCopy},
    {"CopyFromCPUInput", WriteCopy},
    {"Clip", WriteClip},
    {"LeakyRelu", WriteLeakyRelu},
    {"Elu", WriteElu},
    {"Selu", WriteSelu},
    {"PRelu", WritePRelu},
    {"Sum", WriteNary, "Sum"},
    {"Mean", WriteNary, "Mean"},
    {"Max", WriteNary, "Max"},
    {"Min", WriteNary, "Min"},
    {"Add", WriteBinary, "Add"},
    {"Sub", WriteBinary, "Sub"},
    {"Mul", WriteBinary, "Mul"},
    {"Div", WriteBinary, "Div"},
};

}  // namespace

std::span<const Rule> ElementwiseRules() { return kElementwiseRules; }

}  // namespace inferd::netdef

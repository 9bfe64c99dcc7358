// Softmaxes, and the outputs of training, which have a label that is not needed for results.

#include <string>

#include "engines/rewrite/mxnet/operators/rules.h"

namespace inferd::mxnet {

namespace {

void WriteSoftmaxAlong(Step& step, int64_t axis) {
  step.Emit("Softmax", step.InputNames(), Attributes().Int("axis", axis), step.in(0).rank);
}

// With more dimensions, versions of MXNet differ: a row is everything after the first dimension, or only the last.
void WriteSoftmaxOfMatrix(Step& step) {
  if (step.Rank(0) != 2) step.args().Refuse("without an axis, an input of other than two dimensions is not supported");
  WriteSoftmaxAlong(step, 1);
}

void WriteSoftmax(Step& step) {
  if (!step.Takes(1, 1)) return;
  step.NeedFloating();
  Arguments& args = step.args();
  args.MustBeFalse({"use_length"});
  if (args.Datatype("dtype", step.in(0).element) != step.in(0).element)
    args.Refuse("argument 'dtype' is not supported");
  std::string x = step.in(0).tensor;
  const double temperature = args.Float("temperature", 1);
  if (temperature != 1) x = step.Inner("Div", {x, step.Number(temperature, step.in(0).element)});
  const int rank = step.Rank(0);
  step.Emit(step.onnx(), {x}, Attributes().Int("axis", step.Axis("axis", -1, rank)), rank);
}

void WriteSoftmin(Step& step) {
  if (!step.Takes(1, 1)) return;
  step.NeedFloating();
  step.args().MustBeFalse({"use_length"});
  if (step.args().Float("temperature", 1) != 1) step.args().Refuse("a temperature is not supported");
  const int rank = step.Rank(0);
  step.Emit("Softmax", {step.Inner("Neg", step.InputNames())}, Attributes().Int("axis", step.Axis("axis", -1, rank)),
            rank);
}

void WriteSoftmaxOutput(Step& step) {
  if (!step.Takes(1, 1)) return;
  Arguments& args = step.args();
  // These control the gradients.
  args.Ignore({"grad_scale", "ignore_label", "use_ignore", "normalization", "out_grad", "smooth_alpha"});
  const bool keeps_shape = args.Flag("preserve_shape", false);
  const int rank = step.Rank(0);
  if (args.Flag("multi_output", false)) return WriteSoftmaxAlong(step, step.Axis(1, rank));
  if (keeps_shape) return WriteSoftmaxAlong(step, rank - 1);
  WriteSoftmaxOfMatrix(step);
}

void WriteSoftmaxActivation(Step& step) {
  if (!step.Takes(1, 1)) return;
  const std::string_view mode = step.args().Text("mode", "instance");
  if (mode != "instance" && mode != "channel") step.args().Refuse("mode " + std::string(mode) + " is not supported");
  if (mode == "channel") return WriteSoftmaxAlong(step, step.Axis(1, step.Rank(0)));
  WriteSoftmaxOfMatrix(step);
}

void WriteRegression(Step& step) {
  if (!step.Takes(1, 1)) return;
  step.args().Ignore({"grad_scale", "margin", "regularization_coefficient", "use_linear"});
  step.Emit(step.onnx(), step.InputNames(), {}, step.in(0).rank);
}

constexpr Rule kSoftmaxRules[] = {
    {"softmax", WriteSoftmax, "Softmax"},
    {"log_softmax", WriteSoftmax, "LogSoftmax"},
    {"softmin", WriteSoftmin},
    {"SoftmaxActivation", WriteSoftmaxActivation},
    {"SoftmaxOutput", WriteSoftmaxOutput, "", 1},
    {"Softmax", WriteSoftmaxOutput, "", 1},  // its name before version 0.7
    {"LogisticRegressionOutput", WriteRegression, "Sigmoid", 1},
    {"LinearRegressionOutput", WriteRegression, "Identity", 1},
    {"MAERegressionOutput", WriteRegression, "Identity", 1},
    {"SVMOutput", WriteRegression, "Identity", 1},
};

}  // namespace

std::span<const Rule> SoftmaxRules() { return kSoftmaxRules; }

}  // namespace inferd::mxnet

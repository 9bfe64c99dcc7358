// Operators of single elements.

#include <cmath>
#include <numbers>
#include <string>

#include "engines/rewrite/mxnet/operators/rules.h"

namespace inferd::mxnet {

namespace {

void WriteUnary(Step& step) {
  if (!step.Takes(1, 1)) return;
  step.NeedFloating();
  step.Emit(step.onnx(), step.InputNames(), {}, step.in(0).rank);
}

// For copies, and operators that only have an effect in training.
void WriteCopy(Step& step) {
  if (!step.Takes(1, 1)) return;
  step.args().Ignore({"grad_scale", "valid_thresh", "normalization"});
  step.Emit("Identity", step.InputNames(), {}, step.in(0).rank);
}

void WriteLoss(Step& step) {
  if (step.Takes(1, 1)) step.Result(step.in(0).tensor, step.in(0).rank, step.in(0).element, "loss");
}

void WriteActivation(Step& step) {
  if (!step.Takes(1, 1)) return;
  step.NeedFloating();
  struct Kind {
    std::string_view name;
    std::string_view onnx;
  };
  constexpr Kind kKinds[] = {
      {"relu", "Relu"}, {"sigmoid", "Sigmoid"}, {"tanh", "Tanh"}, {"softrelu", "Softplus"}, {"softsign", "Softsign"}};
  const std::string_view type = step.args().Text("act_type", "");
  for (const Kind& kind : kKinds) {
    if (kind.name == type) return step.Emit(kind.onnx, step.InputNames(), {}, step.in(0).rank);
  }
  step.args().Refuse("act_type '" + std::string(type.substr(0, 100)) + "' is not supported");
}

// Writes x / 2 * (1 + erf(x / sqrt(2))).
void WriteGelu(Step& step) {
  const Element element = step.in(0).element;
  const std::string& x = step.in(0).tensor;
  const std::string scaled = step.Inner("Mul", {x, step.Number(1 / std::numbers::sqrt2, element)});
  const std::string share = step.Inner("Add", {step.Inner("Erf", {scaled}), step.Number(1, element)});
  step.Emit("Mul", {step.Inner("Mul", {x, step.Number(0.5, element)}), share}, {}, step.in(0).rank);
}

void WritePrelu(Step& step) {
  if (!step.Takes(2, 2)) return;
  const int rank = step.Rank(0);
  step.Emit("PRelu", {step.in(0).tensor, step.PerChannel(1, rank)}, {}, rank);
}

void WriteLeakyRelu(Step& step) {
  if (!step.Takes(1, 2)) return;
  step.NeedFloating();
  Arguments& args = step.args();
  const std::string_view type = args.Text("act_type", "leaky");
  const auto slope = static_cast<float>(args.Float("slope", 0.25));
  const auto lower = static_cast<float>(args.Float("lower_bound", 0.125));
  const auto upper = static_cast<float>(args.Float("upper_bound", 0.334));
  if (type == "prelu") return WritePrelu(step);
  if (!step.Takes(1, 1)) return;
  const int rank = step.in(0).rank;
  if (type == "gelu") return WriteGelu(step);
  if (type == "leaky") return step.Emit("LeakyRelu", step.InputNames(), Attributes().Float("alpha", slope), rank);
  // Random in training; otherwise the middle of its bounds.
  if (type == "rrelu") {
    return step.Emit("LeakyRelu", step.InputNames(), Attributes().Float("alpha", (lower + upper) / 2), rank);
  }
  if (type == "elu") return step.Emit("Elu", step.InputNames(), Attributes().Float("alpha", slope), rank);
  if (type == "selu") return step.Emit("Selu", step.InputNames(), {}, rank);
  args.Refuse("act_type '" + std::string(type.substr(0, 100)) + "' is not supported");
}

void WriteSquare(Step& step) {
  if (step.Takes(1, 1)) step.Emit("Mul", {step.in(0).tensor, step.in(0).tensor}, {}, step.in(0).rank);
}

void WriteReciprocalOfRoot(Step& step) {
  if (!step.Takes(1, 1)) return;
  step.NeedFloating();
  step.Emit("Reciprocal", {step.Inner("Sqrt", step.InputNames())}, {}, step.in(0).rank);
}

void WriteLogTo(Step& step, double base) {
  if (!step.Takes(1, 1)) return;
  step.NeedFloating();
  const std::string natural = step.Inner("Log", step.InputNames());
  step.Emit("Mul", {natural, step.Number(1 / std::log(base), step.in(0).element)}, {}, step.in(0).rank);
}

void WriteLog2(Step& step) { WriteLogTo(step, 2); }
void WriteLog10(Step& step) { WriteLogTo(step, 10); }

void WriteHardSigmoid(Step& step) {
  if (!step.Takes(1, 1)) return;
  step.NeedFloating();
  step.Emit("HardSigmoid", step.InputNames(),
            Attributes()
                .Float("alpha", static_cast<float>(step.args().Float("alpha", 0.2)))
                .Float("beta", static_cast<float>(step.args().Float("beta", 0.5))),
            step.in(0).rank);
}

// Rounds towards 0.
void WriteTruncation(Step& step) {
  if (!step.Takes(1, 1)) return;
  step.NeedFloating();
  const std::string& x = step.in(0).tensor;
  const std::string whole = step.Inner("Floor", {step.Inner("Abs", {x})});
  step.Emit("Mul", {step.Inner("Sign", {x}), whole}, {}, step.in(0).rank);
}

// Writes 1 if the element is 0, else 0.
void WriteLogicalNot(Step& step) {
  if (!step.Takes(1, 1)) return;
  step.NeedFloating();
  const Element element = step.in(0).element;
  step.Emit("Cast", {step.Inner("Equal", {step.in(0).tensor, step.Number(0, element)})}, CastTo(element),
            step.in(0).rank);
}

void WriteClip(Step& step) {
  if (!step.Takes(1, 1)) return;
  step.NeedFloating();
  step.args().Need("a_min");
  step.args().Need("a_max");
  const Element element = step.in(0).element;
  const std::string least = step.Number(step.args().Float("a_min", 0), element);
  step.Emit("Clip", {step.in(0).tensor, least, step.Number(step.args().Float("a_max", 0), element)}, {},
            step.in(0).rank);
}

void WriteCast(Step& step) {
  if (!step.Takes(1, 1)) return;
  step.args().Need("dtype");
  const Element to = step.args().Datatype("dtype", Element::kFloat);
  step.Result(step.Inner("Cast", step.InputNames(), CastTo(to)), step.in(0).rank, to);
}

constexpr Rule kElementRules[] = {
    {"Activation", WriteActivation},
    {"LeakyReLU", WriteLeakyRelu},
    {"hard_sigmoid", WriteHardSigmoid},
    {"relu", WriteUnary, "Relu"},
    {"sigmoid", WriteUnary, "Sigmoid"},
    {"tanh", WriteUnary, "Tanh"},
    {"softsign", WriteUnary, "Softsign"},
    {"exp", WriteUnary, "Exp"},
    {"log", WriteUnary, "Log"},
    {"log2", WriteLog2},
    {"log10", WriteLog10},
    {"sqrt", WriteUnary, "Sqrt"},
    {"rsqrt", WriteReciprocalOfRoot},
    {"square", WriteSquare},
    {"reciprocal", WriteUnary, "Reciprocal"},
    {"abs", WriteUnary, "Abs"},
    {"negative", WriteUnary, "Neg"},
    {"sign", WriteUnary, "Sign"},
    {"floor", WriteUnary, "Floor"},
    {"ceil", WriteUnary, "Ceil"},
    {"trunc", WriteTruncation},
    {"fix", WriteTruncation},
    {"logical_not", WriteLogicalNot},
    {"erf", WriteUnary, "Erf"},
    {"sin", WriteUnary, "Sin"},
    {"cos", WriteUnary, "Cos"},
    {"tan", WriteUnary, "Tan"},
    {"arcsin", WriteUnary, "Asin"},
    {"arccos", WriteUnary, "Acos"},
    {"arctan", WriteUnary, "Atan"},
    {"sinh", WriteUnary, "Sinh"},
    {"cosh", WriteUnary, "Cosh"},
    {"arcsinh", WriteUnary, "Asinh"},
    {"arccosh", WriteUnary, "Acosh"},
    {"arctanh", WriteUnary, "Atanh"},
    {"clip", WriteClip},
    {"Cast", WriteCast},
    {"amp_cast", WriteCast},
    {"_copy", WriteCopy},
    {"identity", WriteCopy},
    {"BlockGrad", WriteCopy},
    {"MakeLoss", WriteCopy},
    {"make_loss", WriteLoss},
};

}  // namespace

std::span<const Rule> ElementRules() { return kElementRules; }

}  // namespace inferd::mxnet

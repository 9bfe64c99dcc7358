// Layers with weights, and normalizations.

#include <numeric>
#include <string>
#include <vector>

#include "engines/rewrite/mxnet/operators/rules.h"

namespace inferd::mxnet {

namespace {

void WriteFullyConnected(Step& step) {
  const bool no_bias = step.args().Flag("no_bias", false);
  const bool flattens = step.args().Flag("flatten", true);
  step.args().Ignore({"num_hidden"});  // the weights have it
  const size_t count = no_bias ? 2 : 3;
  if (!step.Takes(count, count)) return;
  const int rank = step.Rank(0);
  std::vector<std::string> inputs = step.InputNames();
  if (flattens || rank == 2) {
    if (rank != 2) inputs[0] = step.Inner("Flatten", {inputs[0]}, Attributes().Int("axis", 1));
    return step.Emit("Gemm", inputs, Attributes().Int("transB", 1), 2);
  }
  constexpr int64_t kSwap[] = {1, 0};
  const std::string weights = step.Inner("Transpose", {inputs[1]}, Attributes().Ints("perm", kSwap));
  if (no_bias) return step.Emit("MatMul", {inputs[0], weights}, {}, rank);
  step.Emit("Add", {step.Inner("MatMul", {inputs[0], weights}), inputs[2]}, {}, rank);
}

// A fixed gamma is 1, whatever the file has.
std::string Ones(Step& step, const Value& like) {
  if (like.constant == nullptr || like.element != Element::kFloat) {
    step.args().Refuse("a gamma that is fixed has to be a parameter, of float32");
    return like.tensor;
  }
  const std::vector<float> ones(like.constant->raw.size() / sizeof(float), 1);
  std::string name = step.out().NewName("ones");
  step.out().writer().Constant(name, Element::kFloat, like.constant->shape,
                               {reinterpret_cast<const char*>(ones.data()), ones.size() * sizeof(float)});
  return name;
}

void WriteBatchNorm(Step& step) {
  if (!step.Takes(5, 5)) return;
  Arguments& args = step.args();
  args.Ignore({"momentum", "use_global_stats", "min_calib_range", "max_calib_range"});  // for training, and for int8
  args.MustBeFalse({"output_mean_var"});
  const int rank = step.Rank(0);
  const int64_t axis = step.Axis("axis", 1, rank);
  if (rank < 2) args.Refuse("its input has fewer than two dimensions");
  std::vector<std::string> inputs = step.InputNames();
  if (args.Flag("fix_gamma", true)) inputs[1] = Ones(step, step.in(1));
  inputs[0] = step.SwapAxes(inputs[0], rank, 1, axis);
  const auto attributes = Attributes().Float("epsilon", static_cast<float>(args.Float("eps", 1e-3)));
  const std::string normal = step.Inner("BatchNormalization", inputs, attributes);
  step.Result(step.SwapAxes(normal, rank, 1, axis), rank, step.in(0).element);
}

void WriteInstanceNorm(Step& step) {
  if (!step.Takes(3, 3)) return;
  step.Emit("InstanceNormalization", step.InputNames(),
            Attributes().Float("epsilon", static_cast<float>(step.args().Float("eps", 1e-3))), step.in(0).rank);
}

void WriteLayerNorm(Step& step) {
  if (!step.Takes(3, 3)) return;
  step.args().MustBeFalse({"output_mean_var"});
  const int rank = step.Rank(0);
  const int64_t axis = step.Axis("axis", -1, rank);
  std::vector<std::string> inputs = step.InputNames();
  inputs[0] = step.SwapAxes(inputs[0], rank, axis, rank - 1);
  const auto attributes =
      Attributes().Int("axis", -1).Float("epsilon", static_cast<float>(step.args().Float("eps", 1e-5)));
  const std::string normal = step.Inner("LayerNormalization", inputs, attributes);
  step.Result(step.SwapAxes(normal, rank, axis, rank - 1), rank, step.in(0).element);
}

void WriteLrn(Step& step) {
  if (!step.Takes(1, 1)) return;
  Arguments& args = step.args();
  args.Need("nsize");
  const int64_t size = args.Int("nsize", 1);
  if (size < 1 || size % 2 == 0) args.Refuse("nsize " + std::to_string(size) + " is not supported: it must be odd");
  step.Emit("LRN", step.InputNames(),
            Attributes()
                .Int("size", size)
                .Float("alpha", static_cast<float>(args.Float("alpha", 1e-4)))
                .Float("beta", static_cast<float>(args.Float("beta", 0.75)))
                .Float("bias", static_cast<float>(args.Float("knorm", 2))),
            step.in(0).rank);
}

// Writes x / sqrt(sum(x * x) + eps).
void WriteL2Normalization(Step& step) {
  if (!step.Takes(1, 1)) return;
  step.NeedFloating();
  const int rank = step.Rank(0);
  const std::string_view mode = step.args().Text("mode", "instance");
  int64_t first = 1;
  int64_t last = rank - 1;
  if (mode == "channel") last = 1;
  if (mode == "spatial") first = 2;
  if (mode != "instance" && mode != "channel" && mode != "spatial") {
    step.args().Refuse("mode " + std::string(mode) + " is not supported");
  }
  std::vector<int64_t> axes;
  for (int64_t axis = first; axis <= last; ++axis) axes.push_back(axis);
  if (axes.empty()) step.args().Refuse("its input has too few dimensions");
  const std::string& x = step.in(0).tensor;
  const std::string sum =
      step.Inner("ReduceSum", {step.Inner("Mul", {x, x}), step.Ints(axes)}, Attributes().Int("keepdims", 1));
  const std::string more = step.Inner("Add", {sum, step.Number(step.args().Float("eps", 1e-10), step.in(0).element)});
  step.Emit("Div", {x, step.Inner("Sqrt", {more})}, {}, rank);
}

void WriteDropout(Step& step) {
  if (!step.Takes(1, 1)) return;
  step.args().Ignore({"p", "axes"});
  if (step.args().Text("mode", "training") != "training") step.args().Refuse("mode always is not supported");
  step.Emit("Identity", step.InputNames(), {}, step.in(0).rank);
}

std::string Swapped(Step& step, size_t i, bool swaps) {
  const int rank = step.Rank(i);
  if (rank < 2 && swaps) step.args().Refuse("an input of one dimension cannot be transposed");
  return swaps && rank >= 2 ? step.SwapAxes(step.in(i).tensor, rank, rank - 2, rank - 1) : step.in(i).tensor;
}

// Multiplies the last dimension of the first with the first of the second.
void WriteDot(Step& step) {
  if (!step.Takes(2, 2)) return;
  Arguments& args = step.args();
  step.NeedOneElement();
  const bool swaps_a = args.Flag("transpose_a", false);
  const bool swaps_b = args.Flag("transpose_b", false);
  if (!args.Text("forward_stype", "").empty()) args.Refuse("sparse storage is not supported");
  const int a = step.Rank(0);
  const int b = step.Rank(1);
  if (b > 2 || b < 1 || a < 1 || (a == 1 && b == 1)) args.Refuse("inputs of so many dimensions are not supported");
  if (swaps_a && a != 2) args.Refuse("transpose_a is supported of matrices");
  step.Emit("MatMul", {Swapped(step, 0, swaps_a), Swapped(step, 1, swaps_b)}, {}, a + b - 2);
}

void WriteBatchDot(Step& step) {
  if (!step.Takes(2, 2)) return;
  step.NeedOneElement();
  const int rank = step.Rank(0);
  if (rank < 3 || step.Rank(1) != rank) step.args().Refuse("its inputs have not three dimensions or more");
  if (!step.args().Text("forward_stype", "").empty()) step.args().Refuse("sparse storage is not supported");
  step.Emit("MatMul",
            {Swapped(step, 0, step.args().Flag("transpose_a", false)),
             Swapped(step, 1, step.args().Flag("transpose_b", false))},
            {}, rank);
}

void WriteGemm2(Step& step) {
  if (!step.Takes(2, 2)) return;
  Arguments& args = step.args();
  step.NeedOneElement();
  step.NeedFloating();
  const int rank = step.Rank(0);
  if (rank < 2 || step.Rank(1) != rank) args.Refuse("its inputs have not as many dimensions, or fewer than two");
  if (args.Int("axis", -2) != -2) args.Refuse("argument 'axis' is not supported");
  const bool swaps_a = args.Flag("transpose_a", false);
  const bool swaps_b = args.Flag("transpose_b", false);
  const std::string product = step.Inner("MatMul", {Swapped(step, 0, swaps_a), Swapped(step, 1, swaps_b)});
  step.Emit("Mul", {product, step.Number(args.Float("alpha", 1), step.in(0).element)}, {}, rank);
}

constexpr Rule kLayerRules[] = {
    {"FullyConnected", WriteFullyConnected},
    {"BatchNorm", WriteBatchNorm},
    {"BatchNorm_v1", WriteBatchNorm},
    {"InstanceNorm", WriteInstanceNorm},
    {"LayerNorm", WriteLayerNorm},
    {"LRN", WriteLrn},
    {"L2Normalization", WriteL2Normalization},
    {"Dropout", WriteDropout},
    {"dot", WriteDot},
    {"batch_dot", WriteBatchDot},
    {"_linalg_gemm2", WriteGemm2},
};

}  // namespace

std::span<const Rule> LayerRules() { return kLayerRules; }

}  // namespace inferd::mxnet

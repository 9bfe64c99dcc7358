// Layers with weights, and normalizations.

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "engines/rewrite/netdef/operators/rules.h"

namespace inferd::netdef {

namespace {

constexpr size_t kSpatialBnOutputs = 5;  // in training; only the first is made in test mode

void NeedTestMode(Step& step) {
  if (step.args().Int("is_test", 0) == 0) step.args().Refuse("it is in training mode: is_test is not 1");
}

// Returns everything from the second dimension on as one row.
std::string AsRows(Step& step, const Blob& blob) {
  return blob.rank == 2 ? blob.name : step.Inner("Flatten", {blob.name}, Attributes().Int("axis", 1));
}

void WriteFc(Step& step, int64_t transposes) {
  if (!step.Takes(3, 3)) return;
  if (step.args().Int("axis", 1) != 1) step.args().Refuse("an axis other than 1 is not supported");
  if (step.args().Int("axis_w", 1) != 1) step.args().Refuse("an axis_w other than 1 is not supported");
  step.args().MustBeZero({"float16_compute"});
  step.Emit("Gemm", {AsRows(step, step.in(0)), AsRows(step, step.in(1)), step.in(2).name},
            Attributes().Int("transB", transposes), 2);
}

void WriteFc(Step& step) { WriteFc(step, 1); }
void WriteFcTransposed(Step& step) { WriteFc(step, 0); }

void WriteSpatialBn(Step& step) {
  if (!step.Takes(5, 5, kSpatialBnOutputs)) return;
  NeedTestMode(step);
  step.args().Ignore({"momentum", "num_batches"});  // num_batches is for training
  step.Emit("BatchNormalization", step.InputNames(), Attributes().Float("epsilon", step.args().Float("epsilon", 1e-5F)),
            step.in(0).rank);
}

void WriteInstanceNorm(Step& step) {
  if (!step.Takes(3, 3)) return;
  step.Emit("InstanceNormalization", step.InputNames(),
            Attributes().Float("epsilon", step.args().Float("epsilon", 1e-5F)), step.in(0).rank);
}

// Writes x * scale + bias, with one of each per channel.
void WriteAffineChannel(Step& step) {
  if (!step.Takes(3, 3)) return;
  step.args().MustBeZero({"is_learnable"});
  const std::string scaled = step.Inner("Mul", {step.in(0).name, step.PerChannel(1, step.in(0))});
  step.Emit("Add", {scaled, step.PerChannel(2, step.in(0))}, {}, step.in(0).rank);
}

void WriteLrn(Step& step) {
  if (!step.Takes(1, 1, 2)) return;
  Arguments& args = step.args();
  const int64_t size = args.Int("size", 0);
  if (size < 1 || size % 2 == 0) args.Refuse("size " + std::to_string(size) + " is not supported: it must be odd");
  step.Emit("LRN", step.InputNames(),
            Attributes()
                .Int("size", size)
                .Float("alpha", args.Float("alpha", 0))
                .Float("beta", args.Float("beta", 0))
                .Float("bias", args.Float("bias", 1)),
            step.in(0).rank);
}

void WriteDropout(Step& step) {
  if (!step.Takes(1, 1, 2)) return;
  NeedTestMode(step);
  step.args().Ignore({"ratio"});
  step.Emit("Identity", step.InputNames(), {}, step.in(0).rank);
}

void WriteSoftmax(Step& step) {
  if (!step.Takes(1, 1)) return;
  step.Emit("Softmax", step.InputNames(), Attributes().Int("axis", step.args().Int("axis", 1)), step.in(0).rank);
}

// Multiplies both operands as matrices, whatever their rank.
void WriteMatMul(Step& step) {
  if (!step.Takes(2, 2)) return;
  Arguments& args = step.args();
  if (args.Int("axis_a", 1) != 1 || args.Int("axis_b", 1) != 1) args.Refuse("an axis other than 1 is not supported");
  std::string operands[] = {AsRows(step, step.in(0)), AsRows(step, step.in(1))};
  const bool transposes[] = {args.Int("trans_a", 0) != 0, args.Int("trans_b", 0) != 0};
  constexpr int64_t kSwap[] = {1, 0};
  for (size_t i = 0; i < 2; ++i) {
    if (transposes[i]) operands[i] = step.Inner("Transpose", {operands[i]}, Attributes().Ints("perm", kSwap));
  }
  step.Emit("MatMul", {operands[0], operands[1]}, {}, 2);
}

std::string WithLastTwoSwapped(Step& step, const Blob& blob) {
  if (blob.rank < 2) {
    step.args().Refuse("how many dimensions its inputs have is not known, or too few for trans_a and trans_b");
    return blob.name;
  }
  std::vector<int64_t> axes(static_cast<size_t>(blob.rank));
  for (size_t i = 0; i < axes.size(); ++i) axes[i] = static_cast<int64_t>(i);
  std::swap(axes[axes.size() - 1], axes[axes.size() - 2]);
  return step.Inner("Transpose", {blob.name}, Attributes().Ints("perm", axes));
}

void WriteBatchMatMul(Step& step) {
  if (!step.Takes(2, 2)) return;
  Arguments& args = step.args();
  args.Ignore({"broadcast", "use_scratch"});  // without `broadcast` Caffe2 refuses shapes that ONNX would broadcast
  const std::string a = args.Int("trans_a", 0) != 0 ? WithLastTwoSwapped(step, step.in(0)) : step.in(0).name;
  const std::string b = args.Int("trans_b", 0) != 0 ? WithLastTwoSwapped(step, step.in(1)) : step.in(1).name;
  const bool known = step.in(0).rank >= 2 && step.in(1).rank >= 2;
  step.Emit("MatMul", {a, b}, {}, known ? std::max(step.in(0).rank, step.in(1).rank) : -1);
}

constexpr Rule kLayerRules[] = {
    {"FC", WriteFc},
    {"FCTransposed", WriteFcTransposed},
    {"SpatialBN", WriteSpatialBn},
    {"InstanceNorm", WriteInstanceNorm},
    {"AffineChannel", WriteAffineChannel},
    {"LRN", WriteLrn},
    {"Dropout", WriteDropout},
    {"Softmax", WriteSoftmax},
    {"MatMul", WriteMatMul},
    {"BatchMatMul", WriteBatchMatMul},
};

}  // namespace

std::span<const Rule> LayerRules() { return kLayerRules; }

}  // namespace inferd::netdef

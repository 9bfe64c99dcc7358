#include "engines/forest/plugin/forest_instance.h"

#include <algorithm>
#include <span>
#include <string>

namespace inferd::forest {

namespace {

// So many trees that rows are led through are worth waking a thread.
constexpr size_t kTreesOfPart = 20'000;
constexpr size_t kContributionsCost = 100;  // times what a prediction costs, at the least

size_t ElementSize(int32_t datatype) { return datatype == INFERD_TYPE_FP64 ? sizeof(double) : sizeof(float); }

size_t SizeOf(Precision precision) { return precision == Precision::kFloat64 ? sizeof(double) : sizeof(float); }

template <typename Number>
void Store(const OutputPlan& plan, std::span<const Number> row, std::byte* to) {
  if (plan.datatype == INFERD_TYPE_FP64) {
    std::ranges::copy(row, reinterpret_cast<double*>(to));
  } else {
    std::ranges::transform(row, reinterpret_cast<float*>(to), [](Number x) { return static_cast<float>(x); });
  }
}

}  // namespace

base::Result<std::unique_ptr<ForestInstance>> ForestInstance::Create(const ForestModel* model) {
  auto instance = std::unique_ptr<ForestInstance>(new ForestInstance(model));
  instance->answer_.Reserve(model->tensors().outputs().size());
  return instance;
}

base::Status ForestInstance::Execute(const inferd_batch& batch) {
  const inferd_input& input = *batch.inputs[0];
  const auto rows = static_cast<size_t>(input.shape[0]);
  INFERD_RETURN_IF_ERROR(MakeTargets(batch, rows));
  ConvertRows(input.pieces[0]);  // one_piece: there is exactly one
  model_.threads().Run(rows, RowsOfPart(), [this](size_t begin, size_t end) { Compute(begin, end); });
  Answer(batch);
  return {};
}

size_t ForestInstance::RowsOfPart() const {
  const bool contributes = std::ranges::any_of(
      targets_, [](const Target& target) { return target.plan->kind == OutputKind::kContributions; });
  const size_t trees = std::max<size_t>(model_.forest().trees.size(), 1);
  return (contributes ? kTreesOfPart / kContributionsCost : kTreesOfPart) / trees + 1;
}

base::Status ForestInstance::MakeTargets(const inferd_batch& batch, size_t rows) {
  targets_.clear();
  margins_.resize(rows * static_cast<size_t>(model_.forest().groups));
  for (const uint32_t index : std::span(batch.outputs, batch.output_count)) {
    const OutputPlan& plan = model_.tensors().outputs()[index];
    size_t bytes = 0;
    const bool overflow = __builtin_mul_overflow(rows * ElementSize(plan.datatype), plan.row_size, &bytes);
    void* const memory = overflow ? nullptr : model_.host().allocate_output(&batch, index, bytes);
    if (memory == nullptr) return base::ResourceExhausted("there is no memory for output '" + plan.name + "'");
    Target& target = targets_.emplace_back(&plan, static_cast<std::byte*>(memory), plan.shape);
    target.shape[0] = static_cast<int64_t>(rows);
  }
  return {};
}

void ForestInstance::ConvertRows(const inferd_memory& memory) {
  rows_ = static_cast<const std::byte*>(memory.data);
  if (model_.tensors().input_datatype() == INFERD_TYPE_FP32 || model_.evaluated() == Precision::kFloat64) return;
  const std::span doubles(static_cast<const double*>(memory.data), memory.size / sizeof(double));
  converted_.resize(doubles.size());
  std::ranges::transform(doubles, converted_.begin(), [](double x) { return static_cast<float>(x); });
  rows_ = reinterpret_cast<const std::byte*>(converted_.data());
}

void ForestInstance::Compute(size_t begin, size_t end) {
  if (model_.forest().sums == Precision::kFloat64) {
    ComputeMargins<double>(begin, end);
  } else {
    ComputeMargins<float>(begin, end);
  }
  for (const Target& target : targets_) {
    if (target.plan->kind == OutputKind::kLeaf) ComputeLeaves(target, begin, end);
    if (target.plan->kind == OutputKind::kContributions) ComputeContributions(target, begin, end);
  }
}

void ForestInstance::ComputeLeaves(const Target& target, size_t begin, size_t end) {
  const size_t row_bytes = static_cast<size_t>(model_.forest().features) * SizeOf(model_.evaluated());
  auto* const leaves = reinterpret_cast<int32_t*>(target.memory);
  model_.evaluator().Leaves(rows_ + begin * row_bytes, end - begin, leaves + begin * target.plan->row_size);
}

void ForestInstance::ComputeContributions(const Target& target, size_t begin, size_t end) {
  const auto features = static_cast<size_t>(model_.forest().features);
  const size_t size = target.plan->row_size;
  std::vector<double> row(features);
  std::vector<double> values(size);
  for (size_t i = begin; i < end; ++i) {
    if (model_.evaluated() == Precision::kFloat64) {
      std::copy_n(reinterpret_cast<const double*>(rows_) + i * features, features, row.begin());
    } else {
      std::copy_n(reinterpret_cast<const float*>(rows_) + i * features, features, row.begin());
    }
    model_.contributions()->OfRow(row.data(), values.data());
    Store<double>(*target.plan, values, target.memory + i * size * ElementSize(target.plan->datatype));
  }
}

template <typename Sum>
void ForestInstance::ComputeMargins(size_t begin, size_t end) {
  const auto wants = [this](OutputKind kind) {
    return std::ranges::any_of(targets_, [kind](const Target& target) { return target.plan->kind == kind; });
  };
  if (!wants(OutputKind::kMargin) && !wants(OutputKind::kPrediction)) return;
  const Forest& forest = model_.forest();
  const auto groups = static_cast<size_t>(forest.groups);
  const size_t row_bytes = static_cast<size_t>(forest.features) * SizeOf(model_.evaluated());
  Sum* const margins = reinterpret_cast<Sum*>(margins_.data() + begin * groups);
  model_.evaluator().Margins(rows_ + begin * row_bytes, end - begin, margins);
  StoreAll(OutputKind::kMargin, margins, begin, end);
  if (!wants(OutputKind::kPrediction)) return;
  for (size_t row = 0; row < end - begin; ++row) {  // in the margins' place
    Sum* const of_row = margins + row * groups;
    ApplyTransform(forest.transform, of_row, groups, static_cast<size_t>(forest.classes), of_row);
  }
  StoreAll(OutputKind::kPrediction, margins, begin, end);
}

template <typename Sum>
void ForestInstance::StoreAll(OutputKind kind, const Sum* values, size_t begin, size_t end) {
  const auto groups = static_cast<size_t>(model_.forest().groups);
  for (const Target& target : targets_) {
    if (target.plan->kind != kind) continue;
    const size_t size = target.plan->row_size;
    const size_t to_bytes = size * ElementSize(target.plan->datatype);
    for (size_t row = begin; row < end; ++row) {
      Store<Sum>(*target.plan, {values + (row - begin) * groups, size}, target.memory + row * to_bytes);
    }
  }
}

void ForestInstance::Answer(const inferd_batch& batch) {
  for (size_t i = 0; i < targets_.size(); ++i) {
    const Target& target = targets_[i];
    inferd_output& output = answer_.Add();
    output.index = batch.outputs[i];
    output.datatype = target.plan->datatype;
    output.shape = target.shape.data();
    output.rank = target.shape.size();
    const size_t size = target.plan->row_size * static_cast<size_t>(target.shape[0]);
    output.memory = {target.memory, size * ElementSize(target.plan->datatype), INFERD_MEMORY_CPU, 0};
  }
  answer_.Send(model_.host(), batch);
  answer_.Clear();
}

}  // namespace inferd::forest

#include "engines/forest/plugin/forest_instance.h"

#include <algorithm>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "data/json/writer.h"
#include "data/tensorjson/nested_writer.h"
#include "engines/forest/plugin/feature_table.h"
#include "engines/kit/parameters.h"

namespace inferd::forest {

namespace {

// The limits of a block: numbers of its widest array, and rows.
constexpr size_t kBlockNumbers = 1 << 16;
constexpr size_t kBlockRowsMax = 256;
constexpr size_t kBlockRowsMin = 16;
// This many tree visits are worth waking a thread.
constexpr size_t kTreesOfPart = 20'000;
constexpr size_t kContributionsCost = 100;  // minimum cost relative to a prediction

size_t ElementSize(int32_t datatype) { return datatype == INFERD_TYPE_FP64 ? sizeof(double) : sizeof(float); }

template <typename Number>
void Store(const OutputPlan& plan, std::span<const Number> row, std::byte* to) {
  if (plan.datatype == INFERD_TYPE_FP64) {
    std::ranges::copy(row, reinterpret_cast<double*>(to));
  } else {
    std::ranges::transform(row, reinterpret_cast<float*>(to), [](Number x) { return static_cast<float>(x); });
  }
}

template <typename Number>
bool Round(const void* from, std::span<float> to) {
  std::ranges::transform(std::span(static_cast<const Number*>(from), to.size()), to.begin(),
                         [](Number x) { return static_cast<float>(x); });
  return true;
}

// Fills `to` with the numbers at `from`, as XGBoost rounds them. Returns false if the datatype is none of numbers.
bool RoundNumbers(int32_t datatype, const void* from, std::span<float> to) {
  switch (datatype) {
    case INFERD_TYPE_BOOL:
    case INFERD_TYPE_UINT8: return Round<uint8_t>(from, to);
    case INFERD_TYPE_UINT16: return Round<uint16_t>(from, to);
    case INFERD_TYPE_UINT32: return Round<uint32_t>(from, to);
    case INFERD_TYPE_UINT64: return Round<uint64_t>(from, to);
    case INFERD_TYPE_INT8: return Round<int8_t>(from, to);
    case INFERD_TYPE_INT16: return Round<int16_t>(from, to);
    case INFERD_TYPE_INT32: return Round<int32_t>(from, to);
    case INFERD_TYPE_INT64: return Round<int64_t>(from, to);
    case INFERD_TYPE_FP64: return Round<double>(from, to);
    default: return false;
  }
}

tensor::DataType DataTypeOf(int32_t datatype) {
  if (datatype == INFERD_TYPE_INT32) return tensor::DataType::kInt32;
  return datatype == INFERD_TYPE_FP64 ? tensor::DataType::kFp64 : tensor::DataType::kFp32;
}

// Writes one output as an array, and several as objects by name: one for each of `rows`, or one with whole arrays.
base::Status WriteTable(json::Writer& json, const std::vector<OutputPlan>& plans,
                        std::vector<tensorjson::NestedWriter>& writers, std::optional<size_t> rows) {
  if (plans.size() == 1) return writers[0].WriteAll(json);
  const auto write_object = [&](auto write) -> base::Status {
    json.BeginObject();
    for (size_t i = 0; i < plans.size(); ++i) {
      json.Key(plans[i].name);
      INFERD_RETURN_IF_ERROR(write(writers[i]));
    }
    json.EndObject();
    return {};
  };
  if (!rows.has_value()) return write_object([&](auto& writer) { return writer.WriteAll(json); });
  json.BeginArray();
  for (size_t row = 0; row < *rows; ++row) {
    INFERD_RETURN_IF_ERROR(write_object([&](auto& writer) { return writer.WriteNext(json); }));
  }
  json.EndArray();
  return {};
}

}  // namespace

base::Result<std::unique_ptr<ForestInstance>> ForestInstance::Create(const ForestModel* model) {
  auto instance = std::unique_ptr<ForestInstance>(new ForestInstance(model));
  instance->answer_.Reserve(model->tensors().outputs().size());
  return instance;
}

base::Status ForestInstance::Execute(const inferd_batch& batch) {
  const inferd_input& input = *batch.inputs[0];
  if (input.datatype == INFERD_TYPE_BYTES) {
    AnswerTables(batch);
    return {};
  }
  const auto rows = static_cast<size_t>(input.shape[0]);
  INFERD_RETURN_IF_ERROR(MakeTargets(batch, rows));
  INFERD_RETURN_IF_ERROR(TakeRows(input));
  ComputeRows(rows);
  Answer(batch);
  return {};
}

void ForestInstance::ComputeRows(size_t rows) {
  model_.threads().Run(rows, RowsOfPart(), [this](size_t begin, size_t end) { ComputePart(begin, end); });
}

// Points `given_` at the rows in the signature's datatype, and rounds them first if they came in another one.
base::Status ForestInstance::TakeRows(const inferd_input& input) {
  const void* const data = input.pieces[0].data;  // one_piece: there is exactly one
  given_ = static_cast<const std::byte*>(data);
  if (input.datatype == model_.tensors().input_datatype()) return {};
  rounded_.resize(static_cast<size_t>(input.shape[0]) * static_cast<size_t>(model_.forest().features));
  if (!RoundNumbers(input.datatype, data, rounded_)) {
    return base::InvalidArgument("the input of a model of trees takes numbers: BOOL, integers, FP32 or FP64");
  }
  given_ = reinterpret_cast<const std::byte*>(rounded_.data());
  return {};
}

size_t ForestInstance::RowsOfPart() const {
  const size_t trees = std::max<size_t>(model_.forest().trees.size(), 1);
  return (Wants(OutputKind::kContributions) ? kTreesOfPart / kContributionsCost : kTreesOfPart) / trees + 1;
}

size_t ForestInstance::RowsOfBlock() const {
  const auto widest = static_cast<size_t>(std::max(model_.forest().features, model_.forest().groups));
  return std::clamp(kBlockNumbers / widest, kBlockRowsMin, kBlockRowsMax);
}

bool ForestInstance::Wants(OutputKind kind) const {
  return std::ranges::any_of(targets_, [kind](const Target& target) { return target.plan->kind == kind; });
}

base::Status ForestInstance::MakeTargets(const inferd_batch& batch, size_t rows) {
  targets_.clear();
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

void ForestInstance::ComputePart(size_t begin, size_t end) const {
  Scratch scratch;
  const size_t step = RowsOfBlock();
  for (size_t at = begin; at < end; at += step) {
    const size_t stop = std::min(end, at + step);
    const Block block{.begin = at, .end = stop, .rows = ConvertRows(at, stop, &scratch.rows)};
    if (model_.forest().sums == Precision::kFloat64) {
      ComputeMargins<double>(block, &scratch.margins);
    } else {
      ComputeMargins<float>(block, &scratch.margins);
    }
    for (const Target& target : targets_) {
      if (target.plan->kind == OutputKind::kLeaf) ComputeLeaves(target, block);
      if (target.plan->kind == OutputKind::kContributions) ComputeContributions(target, block);
    }
  }
}

// Returns the rows in the evaluator's type: the batch's own bytes, or a conversion.
const std::byte* ForestInstance::ConvertRows(size_t begin, size_t end, std::vector<float>* converted) const {
  const auto features = static_cast<size_t>(model_.forest().features);
  const std::byte* const given = given_ + begin * features * ElementSize(model_.tensors().input_datatype());
  if (model_.tensors().input_datatype() == INFERD_TYPE_FP32 || model_.evaluated() == Precision::kFloat64) return given;
  converted->resize((end - begin) * features);
  Round<double>(given, *converted);
  return reinterpret_cast<const std::byte*>(converted->data());
}

void ForestInstance::ComputeLeaves(const Target& target, const Block& block) const {
  auto* const leaves = reinterpret_cast<int32_t*>(target.memory) + block.begin * target.plan->row_size;
  model_.evaluator().Leaves(block.rows, block.end - block.begin, leaves);
}

void ForestInstance::ComputeContributions(const Target& target, const Block& block) const {
  const auto features = static_cast<size_t>(model_.forest().features);
  const size_t size = target.plan->row_size;
  std::vector<double> row(features);
  std::vector<double> values(size);
  for (size_t i = 0; i < block.end - block.begin; ++i) {
    if (model_.evaluated() == Precision::kFloat64) {
      std::copy_n(reinterpret_cast<const double*>(block.rows) + i * features, features, row.begin());
    } else {
      std::copy_n(reinterpret_cast<const float*>(block.rows) + i * features, features, row.begin());
    }
    model_.contributions()->OfRow(row.data(), values.data());
    const size_t at = (block.begin + i) * size * ElementSize(target.plan->datatype);
    Store<double>(*target.plan, values, target.memory + at);
  }
}

template <typename Sum>
void ForestInstance::ComputeMargins(const Block& block, std::vector<double>* memory) const {
  const bool predicts = Wants(OutputKind::kPrediction);
  if (!predicts && !Wants(OutputKind::kMargin)) return;
  const Forest& forest = model_.forest();
  const auto groups = static_cast<size_t>(forest.groups);
  const size_t rows = block.end - block.begin;
  memory->resize(rows * groups);
  Sum* const margins = reinterpret_cast<Sum*>(memory->data());
  model_.evaluator().Margins(block.rows, rows, margins);
  StoreAll(OutputKind::kMargin, margins, block);
  if (!predicts) return;
  for (size_t row = 0; row < rows; ++row) {  // in place of the margins
    Sum* const of_row = margins + row * groups;
    ApplyTransform(forest.transform, of_row, groups, static_cast<size_t>(forest.classes), of_row);
  }
  StoreAll(OutputKind::kPrediction, margins, block);
}

template <typename Sum>
void ForestInstance::StoreAll(OutputKind kind, const Sum* values, const Block& block) const {
  const auto groups = static_cast<size_t>(model_.forest().groups);
  for (const Target& target : targets_) {
    if (target.plan->kind != kind) continue;
    const size_t size = target.plan->row_size;
    const size_t to_bytes = size * ElementSize(target.plan->datatype);
    for (size_t row = block.begin; row < block.end; ++row) {
      Store<Sum>(*target.plan, {values + (row - block.begin) * groups, size}, target.memory + row * to_bytes);
    }
  }
}

void ForestInstance::AnswerTables(const inferd_batch& batch) {
  constexpr inferd_text kProtocol = {"kserve_protocol", sizeof("kserve_protocol") - 1};
  const inferd_host& host = model_.host();
  const auto* const bodies = static_cast<const inferd_text*>(batch.inputs[0]->pieces[0].data);
  int64_t at = 0;
  for (size_t i = 0; i < batch.request_count; ++i) {
    inferd_parameter protocol = {};
    protocol.struct_size = sizeof(protocol);
    const bool found = host.find_parameter(&batch, i, kProtocol, &protocol) != 0;
    const bool of_tensorflow_serving = found && kit::ToView(protocol.text_value) == "tfs";
    const auto answer = AnswerTable(kit::ToView(bodies[at]), of_tensorflow_serving);
    at += batch.rows[i];
    inferd_response response = {};
    response.struct_size = sizeof(response);
    response.final = 1;
    if (!answer.has_value()) {
      response.code = static_cast<int32_t>(answer.error().code());
      response.message = {answer.error().message().data(), answer.error().message().size()};
      host.respond(&batch, i, &response);
      continue;
    }
    const inferd_text text = {answer->data(), answer->size()};
    const int64_t shape = 1;
    inferd_output output = {};
    output.struct_size = sizeof(output);
    output.index = static_cast<uint32_t>(model_.tensors().outputs().size());
    output.datatype = INFERD_TYPE_BYTES;
    output.shape = &shape;
    output.rank = 1;
    output.bytes_form = INFERD_BYTES_ELEMENTS;
    output.memory = {const_cast<inferd_text*>(&text), sizeof(text), INFERD_MEMORY_CPU, 0};  // read only
    const inferd_output* const outputs = &output;
    response.outputs = &outputs;
    response.output_count = 1;
    host.respond(&batch, i, &response);
  }
}

base::Result<std::string> ForestInstance::AnswerTable(std::string_view body, bool of_tensorflow_serving) {
  INFERD_ASSIGN_OR_RETURN(const FeatureTable table, ReadFeatureTable(body, model_.features()));
  if (model_.tensors().input_datatype() == INFERD_TYPE_FP64) {
    given_ = reinterpret_cast<const std::byte*>(table.values.data());
  } else {
    rounded_.resize(table.values.size());
    Round<double>(table.values.data(), rounded_);
    given_ = reinterpret_cast<const std::byte*>(rounded_.data());
  }
  const std::vector<OutputPlan>& plans = model_.tensors().outputs();
  std::vector<std::vector<std::byte>> memory(plans.size());
  targets_.clear();
  for (size_t i = 0; i < plans.size(); ++i) {
    memory[i].resize(table.rows * plans[i].row_size * ElementSize(plans[i].datatype));
    targets_.emplace_back(&plans[i], memory[i].data(), plans[i].shape).shape[0] = static_cast<int64_t>(table.rows);
  }
  ComputeRows(table.rows);
  std::vector<tensorjson::NestedWriter> writers;
  for (size_t i = 0; i < plans.size(); ++i) {
    INFERD_ASSIGN_OR_RETURN(tensorjson::NestedWriter writer,
                            tensorjson::NestedWriter::Create(DataTypeOf(plans[i].datatype),
                                                             tensor::Shape(targets_[i].shape), memory[i], false));
    writers.push_back(std::move(writer));
  }
  const bool by_column = of_tensorflow_serving && table.by_column;
  json::Writer json;
  json.BeginObject();
  json.Key(by_column ? "outputs" : "predictions");
  INFERD_RETURN_IF_ERROR(WriteTable(json, plans, writers, by_column ? std::nullopt : std::optional(table.rows)));
  json.EndObject();
  return json.TakeString();
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

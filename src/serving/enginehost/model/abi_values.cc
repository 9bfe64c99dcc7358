#include "serving/enginehost/model/abi_values.h"

#include <algorithm>
#include <set>
#include <string>
#include <variant>

#include "base/text/utf8.h"

namespace inferd::enginehost {

namespace {

base::Result<core::TensorSpec> ToSpec(const inferd_tensor_spec& abi, bool only_shown) {
  core::TensorSpec spec;
  spec.name = ToView(abi.name);
  if (spec.name.empty()) return std::unexpected(base::Internal("a tensor has no name"));
  if (abi.datatype < (only_shown ? INFERD_TYPE_INVALID : INFERD_TYPE_BOOL) ||
      abi.datatype > static_cast<int32_t>(tensor::kLastDataType)) {
    return std::unexpected(
        base::Internal("tensor '" + spec.name + "' has the unknown datatype " + std::to_string(abi.datatype)));
  }
  spec.datatype = static_cast<tensor::DataType>(abi.datatype);
  if (abi.rank > tensor::kRankMax || (abi.rank > 0 && abi.shape == nullptr)) {
    return std::unexpected(base::Internal("tensor '" + spec.name + "' has " + std::to_string(abi.rank) +
                                          " dimensions; at most " + std::to_string(tensor::kRankMax) +
                                          " can be served"));
  }
  for (size_t i = 0; i < abi.rank; ++i) {
    if (abi.shape[i] < -1) {
      return std::unexpected(
          base::Internal("tensor '" + spec.name + "' has a dimension of " + std::to_string(abi.shape[i])));
    }
    // A model exported with an empty example has 0 where any size is possible.
    spec.shape.Append(abi.shape[i] == 0 ? -1 : abi.shape[i]);
  }
  spec.optional = abi.optional != 0;
  spec.takes_device_memory =
      INFERD_HAS_FIELD(inferd_tensor_spec, &abi, memory_kinds) && (abi.memory_kinds & (1u << INFERD_MEMORY_GPU)) != 0;
  spec.any_shape = INFERD_HAS_FIELD(inferd_tensor_spec, &abi, any_shape) && abi.any_shape != 0;
  if (INFERD_HAS_FIELD(inferd_tensor_spec, &abi, graph_name)) spec.graph_name = ToView(abi.graph_name);
  spec.unknown_rank =
      INFERD_HAS_FIELD(inferd_tensor_spec, &abi, unknown_rank) && abi.unknown_rank != 0 && spec.shape.rank() == 0;
  spec.shape_is_hint = INFERD_HAS_FIELD(inferd_tensor_spec, &abi, shape_is_hint) && abi.shape_is_hint != 0;
  if (INFERD_HAS_FIELD(inferd_tensor_spec, &abi, label_count)) {
    for (size_t i = 0; i < abi.label_count; ++i) spec.labels.emplace_back(ToView(abi.labels[i]));
  }
  if (INFERD_HAS_FIELD(inferd_tensor_spec, &abi, dimension_names) && abi.dimension_names != nullptr) {
    for (size_t i = 0; i < abi.rank; ++i) spec.dimension_names.emplace_back(ToView(abi.dimension_names[i]));
  }
  if (INFERD_HAS_FIELD(inferd_tensor_spec, &abi, default_value)) spec.default_value = ToView(abi.default_value);
  spec.any_datatype = INFERD_HAS_FIELD(inferd_tensor_spec, &abi, any_datatype) && abi.any_datatype != 0;
  spec.alternative = INFERD_HAS_FIELD(inferd_tensor_spec, &abi, alternative) && abi.alternative != 0;
  spec.carries_body = spec.alternative && abi.alternative == 2;
  spec.optional |= spec.alternative;
  spec.may_be_missing = INFERD_HAS_FIELD(inferd_tensor_spec, &abi, may_be_missing) && abi.may_be_missing != 0;
  spec.unchecked = INFERD_HAS_FIELD(inferd_tensor_spec, &abi, unchecked) && abi.unchecked != 0;
  return spec;
}

base::Status AddAll(const inferd_tensor_spec* const* list, size_t count, bool only_shown,
                    std::vector<core::TensorSpec>* specs) {
  std::set<std::string> names;
  for (size_t i = 0; i < count; ++i) {
    if (list == nullptr || list[i] == nullptr) return base::Internal("a tensor is missing from the list");
    INFERD_ASSIGN_OR_RETURN(core::TensorSpec spec, ToSpec(*list[i], only_shown));
    if (!names.insert(spec.name).second) return base::Internal("tensor '" + spec.name + "' is listed twice");
    specs->push_back(std::move(spec));
  }
  return base::OkStatus();
}

struct ParameterFiller {
  inferd_parameter* out;
  void operator()(bool value) const { out->kind = INFERD_PARAMETER_BOOL, out->bool_value = value ? 1 : 0; }
  void operator()(int64_t value) const { out->kind = INFERD_PARAMETER_INT64, out->int64_value = value; }
  void operator()(uint64_t value) const { out->kind = INFERD_PARAMETER_UINT64, out->uint64_value = value; }
  void operator()(double value) const { out->kind = INFERD_PARAMETER_DOUBLE, out->double_value = value; }
  void operator()(const std::string& value) const {
    out->kind = INFERD_PARAMETER_TEXT, out->text_value = ToText(value);
  }
};

}  // namespace

base::Status ToStatus(int32_t code, std::string_view message) {
  const bool known = code > INFERD_OK && code <= INFERD_UNAUTHENTICATED;
  const base::StatusCode status = known ? static_cast<base::StatusCode>(code) : base::StatusCode::kInternal;
  return {status, base::Shortened(message, kMessageBytesMax)};
}

base::Result<core::ModelSignature> ToSignature(const inferd_signature& signature) {
  core::ModelSignature result;
  result.decoupled = signature.decoupled != 0;
  if (INFERD_HAS_FIELD(inferd_signature, &signature, method)) {
    result.name = ToView(signature.name);
    result.method_name = ToView(signature.method);
  }
  result.sequences = INFERD_HAS_FIELD(inferd_signature, &signature, sequences) && signature.sequences != 0;
  result.only_shown = INFERD_HAS_FIELD(inferd_signature, &signature, only_shown) && signature.only_shown != 0;
  if (INFERD_HAS_FIELD(inferd_signature, &signature, not_served)) result.not_served = ToView(signature.not_served);
  INFERD_RETURN_IF_ERROR(AddAll(signature.inputs, signature.input_count, result.only_shown, &result.inputs));
  INFERD_RETURN_IF_ERROR(AddAll(signature.outputs, signature.output_count, result.only_shown, &result.outputs));
  return result;
}

void FillParameter(const core::ParameterValue& value, inferd_parameter* to) { std::visit(ParameterFiller{to}, value); }

std::optional<core::ParameterValue> ToParameterValue(const inferd_parameter& parameter, size_t bytes_max) {
  switch (parameter.kind) {
    case INFERD_PARAMETER_BOOL: return parameter.bool_value != 0;
    case INFERD_PARAMETER_INT64: return parameter.int64_value;
    case INFERD_PARAMETER_UINT64: return parameter.uint64_value;
    case INFERD_PARAMETER_DOUBLE: return parameter.double_value;
    case INFERD_PARAMETER_TEXT: break;
    default: return std::nullopt;
  }
  if (parameter.text_value.data == nullptr && parameter.text_value.size > 0) return std::nullopt;
  return std::string(ToView(parameter.text_value).substr(0, bytes_max));
}

DeclaredSignature::DeclaredSignature(const config::ModelConfig& config) {
  const bool batches = config.max_batch_size > 0;
  for (const auto& input : config.inputs) {
    if (input.allow_ragged_batch) {
      Add(input.name, input.datatype, {-1}, input.optional, false, &inputs_);
    } else {
      Add(input.name, input.datatype, input.reshape.value_or(input.dims), input.optional, batches, &inputs_);
    }
  }
  for (const auto& input : config.batch_inputs) {
    const bool per_request = input.kind == config::BatchInputKind::kItemShape;
    Add(input.target_name, input.datatype, per_request ? tensor::Shape{-1, -1} : tensor::Shape{-1}, false, false,
        &inputs_);
  }
  if (config.sequence_batching.has_value()) {
    for (const auto& control : config.sequence_batching->controls) {
      Add(control.name, control.datatype, {1}, false, batches, &inputs_);
    }
    for (const auto& state : config.sequence_batching->states) {
      Add(state.input, state.datatype, state.dims, false, batches, &inputs_);
    }
  }
  for (const auto& output : config.outputs) {
    const bool scattered = std::ranges::find(config.batch_outputs, output.name, &config::BatchOutput::target_name) !=
                           config.batch_outputs.end();
    Add(output.name, output.datatype, scattered ? tensor::Shape{-1} : output.reshape.value_or(output.dims), false,
        batches && !scattered, &outputs_);
  }
  if (config.sequence_batching.has_value()) {
    for (const auto& state : config.sequence_batching->states) {
      if (std::ranges::find(config.outputs, state.output, &config::ModelOutput::name) != config.outputs.end()) continue;
      Add(state.output, state.datatype, state.dims, false, batches, &outputs_);
    }
  }
  signature_.struct_size = sizeof(signature_);
  signature_.inputs = inputs_.data();
  signature_.input_count = inputs_.size();
  signature_.outputs = outputs_.data();
  signature_.output_count = outputs_.size();
  signature_.decoupled = config.decoupled ? 1 : 0;
}

void DeclaredSignature::Add(std::string_view name, tensor::DataType datatype, const tensor::Shape& dims, bool optional,
                            bool batches, std::vector<const inferd_tensor_spec*>* list) {
  auto spec = std::make_unique<Spec>();
  spec->shape = dims;
  if (batches) spec->shape.Prepend(-1);
  spec->abi.struct_size = sizeof(spec->abi);
  spec->abi.name = ToText(name);
  spec->abi.datatype = static_cast<int32_t>(datatype);
  spec->abi.shape = spec->shape.dims().data();
  spec->abi.rank = spec->shape.rank();
  spec->abi.optional = optional ? 1 : 0;
  list->push_back(&spec->abi);
  specs_.push_back(std::move(spec));
}

}  // namespace inferd::enginehost

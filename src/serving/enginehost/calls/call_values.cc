#include "serving/enginehost/calls/call_values.h"

#include <deque>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include "data/tensor/raw.h"
#include "serving/enginehost/batch/batch_parameters.h"
#include "serving/enginehost/model/abi_values.h"

namespace inferd::enginehost {

namespace {

constexpr size_t kTensorsMax = 65'536;
constexpr size_t kParametersMax = 1024;

base::Status NoCall(std::string_view what) { return base::InvalidArgument("the call " + std::string(what)); }

base::Result<core::InferTensor> ToTensor(const inferd_call_tensor* given) {
  if (given == nullptr) return std::unexpected(NoCall("has an input that is nowhere"));
  core::InferTensor tensor;
  tensor.name = ToView(given->name);
  const std::string quoted = "'" + tensor.name + "'";
  if (given->datatype <= INFERD_TYPE_INVALID || given->datatype > static_cast<int32_t>(tensor::kLastDataType)) {
    return std::unexpected(NoCall("has an input " + quoted + " of no datatype that there is"));
  }
  tensor.datatype = static_cast<tensor::DataType>(given->datatype);
  if (given->rank > tensor::kRankMax || (given->rank > 0 && given->shape == nullptr)) {
    return std::unexpected(NoCall("has an input " + quoted + " of a shape that cannot be"));
  }
  tensor.shape = tensor::Shape(std::span(given->shape, given->rank));
  const auto* data = static_cast<const char*>(given->memory.data);
  if (given->memory.kind == INFERD_MEMORY_GPU || (data == nullptr && given->memory.size > 0)) {
    return std::unexpected(NoCall("has an input " + quoted + " where the server cannot read it"));
  }
  try {
    tensor.data = base::BufferSlice(base::Buffer::CopyOf({data, given->memory.size}));
  } catch (const std::bad_alloc&) {
    return std::unexpected(base::ResourceExhausted("there is no memory for input " + quoted + " of the call"));
  }
  INFERD_RETURN_IF_ERROR(
      tensor::CheckRaw(tensor.datatype, tensor.shape, tensor.data.bytes()).WithContext("input " + quoted));
  return tensor;
}

// An inferd_call_response with the memory to which it points.
class AbiResponse final {
 public:
  AbiResponse(bool submitted, const core::InferResponse& response) {
    abi_.struct_size = sizeof(abi_);
    abi_.code = static_cast<int32_t>(response.status.code());
    abi_.message = ToText(response.status.message());
    abi_.submitted = submitted ? 1 : 0;
    abi_.final = response.final ? 1 : 0;
    if (!response.status.ok()) return;
    for (const core::InferTensor& output : response.outputs) AddOutput(output);
    for (const inferd_call_tensor& output : outputs_) output_list_.push_back(&output);
    abi_.outputs = output_list_.data();
    abi_.output_count = output_list_.size();
    for (const auto& [name, value] : response.parameters) {
      names_.push_back(ToText(name));
      inferd_parameter& parameter = parameters_.emplace_back();
      parameter.struct_size = sizeof(parameter);
      FillParameter(value, &parameter);
    }
    for (const inferd_parameter& parameter : parameters_) parameter_list_.push_back(&parameter);
    abi_.parameter_names = names_.data();
    abi_.parameters = parameter_list_.data();
    abi_.parameter_count = parameter_list_.size();
  }

  const inferd_call_response* get() const { return &abi_; }

 private:
  void AddOutput(const core::InferTensor& output) {
    inferd_call_tensor& tensor = outputs_.emplace_back();
    tensor.struct_size = sizeof(tensor);
    tensor.name = ToText(output.name);
    tensor.datatype = static_cast<int32_t>(output.datatype);
    tensor.shape = output.shape.dims().data();
    tensor.rank = output.shape.rank();
    tensor.memory = {output.data.data(), output.data.size(), static_cast<int32_t>(output.data.place().kind),
                     output.data.place().device};
  }

  inferd_call_response abi_ = {};
  std::deque<inferd_call_tensor> outputs_;
  std::vector<const inferd_call_tensor*> output_list_;
  std::vector<inferd_text> names_;
  std::deque<inferd_parameter> parameters_;
  std::vector<const inferd_parameter*> parameter_list_;
};

base::Status AddParameters(const inferd_model_call& call, core::InferRequest& request) {
  if (call.parameter_count > kParametersMax) return NoCall("has too many parameters");
  for (size_t i = 0; i < call.parameter_count; ++i) {
    std::optional<core::ParameterValue> value;
    if (call.parameters[i] != nullptr) value = ToParameterValue(*call.parameters[i]);
    if (!value.has_value()) return NoCall("has a parameter whose value cannot be read");
    request.parameters.emplace_back(ToView(call.parameter_names[i]), *std::move(value));
  }
  return base::OkStatus();
}

void AddSequence(const inferd_sequence& sequence, core::InferRequest& request) {
  if (sequence.text.size > 0) {
    request.sequence.id = std::string(ToView(sequence.text));
  } else {
    request.sequence.id = sequence.number;
  }
  request.sequence.start = sequence.start != 0;
  request.sequence.end = sequence.end != 0;
}

}  // namespace

base::Result<std::unique_ptr<core::InferRequest>> ToRequest(const inferd_model_call& call) {
  if (call.input_count > kTensorsMax || call.output_count > kTensorsMax) {
    return std::unexpected(NoCall("has too many inputs or outputs"));
  }
  auto request = std::make_unique<core::InferRequest>();
  request->model_name = ToView(call.model);
  if (call.version >= 0) request->model_version = std::to_string(call.version);
  request->id = ToView(call.id);
  for (size_t i = 0; i < call.input_count; ++i) {
    INFERD_ASSIGN_OR_RETURN(core::InferTensor tensor, ToTensor(call.inputs[i]));
    request->inputs.push_back(std::move(tensor));
  }
  for (size_t i = 0; i < call.output_count; ++i) {
    request->outputs.push_back({.name = std::string(ToView(call.outputs[i]))});
  }
  if (call.sequence != nullptr) AddSequence(*call.sequence, *request);
  INFERD_RETURN_IF_ERROR(AddParameters(call, *request));
  request->priority = call.priority;
  request->timeout_us = call.timeout_us;
  return request;
}

base::Result<core::CustomMetricSpec> ToMetricSpec(const inferd_metric& metric) {
  if (metric.kind < INFERD_METRIC_COUNTER || metric.kind > INFERD_METRIC_HISTOGRAM) {
    return std::unexpected(base::InvalidArgument("there is no such kind of metric"));
  }
  core::CustomMetricSpec spec{.kind = static_cast<core::CustomMetricSpec::Kind>(metric.kind),
                              .name = std::string(ToView(metric.name)),
                              .help = std::string(ToView(metric.help)),
                              .series = metric.series != 0};
  for (size_t i = 0; i < metric.label_count; ++i) {
    spec.labels.emplace_back(ToView(metric.labels[i].key), ToView(metric.labels[i].value));
  }
  spec.bounds.assign(metric.bounds, metric.bounds + metric.bound_count);
  return spec;
}

void PassResponse(bool submitted, const core::InferResponse& response,
                  void (*respond)(void* arg, const inferd_call_response* response), void* arg) {
  // Engines get CPU memory only.
  for (const core::InferTensor& output : response.outputs) {
    if (output.data.place().readable()) continue;
    const core::InferResponse unreadable{
        .status = base::Unimplemented("output '" + output.name + "' of the called model lies on a device"),
        .final = response.final};
    return respond(arg, AbiResponse(submitted, unreadable).get());
  }
  respond(arg, AbiResponse(submitted, response).get());
}

}  // namespace inferd::enginehost

#include "protocols/v2/bodies/whole_body.h"

#include <algorithm>
#include <vector>

#include "base/text/ascii_case.h"
#include "data/json/writer.h"
#include "data/tensor/bytes.h"

namespace inferd::v2 {

namespace {

bool IsBody(const core::TensorSpec& spec, std::string_view name) {
  return spec.name == name && spec.datatype == tensor::DataType::kBytes;
}

}  // namespace

bool TakesWholeBody(const core::ModelSignature& signature) {
  const auto is = [](std::string_view name) {
    return [name](const core::TensorSpec& spec) { return IsBody(spec, name); };
  };
  return std::ranges::any_of(signature.inputs, is(kBodyInput)) &&
         std::ranges::any_of(signature.outputs, is(kBodyOutput));
}

bool TakesOnlyWholeBody(const core::ModelSignature& signature) {
  return signature.inputs.size() == 1 && TakesWholeBody(signature);
}

bool TakesBodyInstead(const core::ModelSignature& accepted, BodyTensors tensors) {
  const int input = accepted.FindInput(tensors.input);
  const int output = accepted.FindOutput(tensors.output);
  return input >= 0 && output >= 0 && accepted.inputs[static_cast<size_t>(input)].carries_body &&
         accepted.outputs[static_cast<size_t>(output)].carries_body;
}

std::optional<BodyTensors> TensorsForUnfitting(const core::ModelSignature& accepted) {
  for (const BodyTensors tensors : {BodyTensors(), kTableTensors}) {
    if (TakesBodyInstead(accepted, tensors)) return tensors;
  }
  return std::nullopt;
}

std::string HeadersJson(std::span<const std::pair<std::string_view, std::string_view>> headers) {
  json::Writer json;
  std::vector<std::string> names;
  json.BeginObject();
  for (const auto& [name, value] : headers) {
    std::string lower(name);
    std::ranges::transform(lower, lower.begin(), base::LowerAscii);
    if (std::ranges::find(names, lower) != names.end()) continue;  // the first one counts
    json.Member(lower, value);
    names.push_back(std::move(lower));
  }
  json.EndObject();
  return json.TakeString();
}

base::Result<std::unique_ptr<core::InferRequest>> WholeBodyRequest(std::string_view body, const BodyOrigin& origin,
                                                                   BodyTensors tensors) {
  tensor::BytesPacker packer(body.size() + sizeof(uint32_t));
  INFERD_RETURN_IF_ERROR(packer.Append(body));
  auto request = std::make_unique<core::InferRequest>();
  request->whole_body = true;
  core::InferTensor& tensor = request->inputs.emplace_back();
  tensor.name = tensors.input;
  tensor.datatype = tensor::DataType::kBytes;
  tensor.shape = {1};
  tensor.data = base::BufferSlice(packer.Take());
  request->outputs.push_back({.name = std::string(tensors.output)});
  request->parameters.emplace_back("kserve_protocol", std::string(origin.protocol));
  request->parameters.emplace_back("kserve_verb", std::string(origin.verb));
  if (!origin.headers.empty()) request->parameters.emplace_back("kserve_headers", std::string(origin.headers));
  return request;
}

base::Result<base::BufferSlice> WholeBodyOf(const core::InferResponse& response, BodyTensors tensors) {
  const auto output = std::ranges::find(response.outputs, tensors.output, &core::InferTensor::name);
  if (output == response.outputs.end() || output->datatype != tensor::DataType::kBytes ||
      output->shape.ElementCount() != 1) {
    return std::unexpected(base::Internal("the model gave no body to answer with"));
  }
  const std::string_view body = *tensor::PackedElements(output->data.bytes()).begin();
  return output->data.Sub(output->data.size() - body.size(), body.size());
}

}  // namespace inferd::v2

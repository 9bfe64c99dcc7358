#include "engines/torch/torch_signature.h"

#include <utility>

#include "engines/kit/parameters.h"
#include "engines/torch/function/element_type.h"
#include "engines/torch/output_probe.h"

namespace inferd::torchscript {

namespace {

using kit::TensorDescription;
using Descriptions = std::vector<TensorDescription>;

// The library's kernels read aligned memory faster.
constexpr size_t kInputAlignment = 64;

Descriptions Declared(const inferd_tensor_spec* const* specs, size_t count) {
  Descriptions tensors;
  for (size_t i = 0; i < count; ++i) {
    const inferd_tensor_spec& spec = *specs[i];
    tensors.push_back({.name = std::string(kit::ToView(spec.name)),
                       .datatype = spec.datatype,
                       .shape = {spec.shape, spec.shape + spec.rank},
                       .optional = spec.optional != 0,
                       .any_shape = spec.any_shape != 0});
  }
  return tensors;
}

std::vector<std::string> NamesOf(const Descriptions& tensors) {
  std::vector<std::string> names;
  for (const TensorDescription& tensor : tensors) names.push_back(tensor.name);
  return names;
}

// Describes an input that the configuration does not have.
TensorDescription Complete(const MethodArgument& argument) {
  TensorDescription input{.name = argument.name, .optional = argument.optional};
  switch (argument.kind) {
    case ValueKind::kStrings:
      input.datatype = INFERD_TYPE_BYTES;
      input.shape = {-1};
      break;
    case ValueKind::kInt: input.datatype = INFERD_TYPE_INT64; break;
    case ValueKind::kFloat: input.datatype = INFERD_TYPE_FP64; break;
    case ValueKind::kBool: input.datatype = INFERD_TYPE_BOOL; break;
    default: input.datatype = argument.datatype; input.shape.assign(argument.example.size(), -1);
  }
  return input;
}

std::string WithTypes(const MethodSchema& schema) {
  std::string list;
  for (const MethodArgument& argument : schema.arguments) {
    list += (list.empty() ? "" : ", ") + argument.name + ": " + argument.type;
  }
  return list;
}

base::Status NotServed(const MethodArgument& argument) {
  return base::InvalidArgument("argument '" + argument.name + "' of the model's method is of type " + argument.type +
                               ", which cannot be served: save a module whose method takes tensors, numbers and lists "
                               "of texts, or nothing but a Dict[str, Tensor]");
}

// Returns the error for inputs that the configuration must have because the file does not.
base::Status NeedsInputs(const MethodSchema& schema, const MethodArgument& argument) {
  const std::string example = schema.takes_dict ? "an input for each key of the mapping, such as input { name: \"KEY\""
                                                : "the inputs of the model's method (" + WithTypes(schema) +
                                                      "), such as input { name: \"" + argument.name + "\"";
  return base::InvalidArgument(
      "the file does not say datatypes and shapes, and has no example of a trace: config.pbtxt needs " + example +
      " data_type: TYPE_FP32 dims: [ -1 ] }");
}

base::Result<Descriptions> CompleteInputs(const MethodSchema& schema) {
  Descriptions inputs;
  for (const MethodArgument& argument : schema.arguments) {
    const bool served = argument.kind != ValueKind::kOther || argument.optional || schema.takes_dict;
    if (!served) return std::unexpected(NotServed(argument));
  }
  for (const MethodArgument& argument : schema.arguments) {
    TensorDescription input = Complete(argument);
    if (argument.kind != ValueKind::kOther && input.datatype != INFERD_TYPE_INVALID) {
      inputs.push_back(std::move(input));
    } else if (!argument.optional) {
      return std::unexpected(NeedsInputs(schema, argument));
    }
  }
  return inputs;
}

// Checks that an argument can have the configured properties.
base::Status CheckInput(const TensorDescription& input, const MethodArgument& argument, bool dict) {
  const bool strings = !dict && argument.kind == ValueKind::kStrings;
  const std::string what = "input '" + input.name + "' is ";
  if (!dict && argument.kind == ValueKind::kOther) {
    return base::InvalidArgument(what + "an argument of type " + argument.type + ", which cannot be served");
  }
  if (strings != (input.datatype == INFERD_TYPE_BYTES)) {
    return base::InvalidArgument(what +
                                 (strings ? "a list of strings in the model, and not in the configuration"
                                          : "of strings in the configuration, and " + argument.type + " in the model"));
  }
  if (!strings && !ToElementType(input.datatype).has_value()) {
    return base::InvalidArgument(what + "of a datatype that PyTorch does not have");
  }
  return base::OkStatus();
}

}  // namespace

base::Status TorchSignature::AddInputs(Descriptions tensors, const MethodSchema& schema) {
  INFERD_ASSIGN_OR_RETURN(const std::vector<size_t> arguments, BindInputs(NamesOf(tensors), schema));
  for (size_t i = 0; i < tensors.size(); ++i) {
    const MethodArgument& argument = schema.arguments[arguments[i]];
    INFERD_RETURN_IF_ERROR(CheckInput(tensors[i], argument, schema.takes_dict));
    inputs_.push_back({.name = tensors[i].name,
                       .argument = arguments[i],
                       .kind = schema.takes_dict ? ValueKind::kTensor : argument.kind});
    tensors[i].alignment = kInputAlignment;
    abi_.AddInput(std::move(tensors[i]));
  }
  return base::OkStatus();
}

base::Status TorchSignature::AddOutputs(Descriptions tensors, const MethodSchema& schema) {
  INFERD_ASSIGN_OR_RETURN(std::vector<ResultPlace> places, BindOutputs(NamesOf(tensors), schema));
  for (size_t i = 0; i < tensors.size(); ++i) {
    if (tensors[i].datatype != INFERD_TYPE_BYTES && !ToElementType(tensors[i].datatype).has_value()) {
      return base::InvalidArgument("output '" + tensors[i].name + "' is of a datatype that cannot be served");
    }
    outputs_.push_back({.name = tensors[i].name,
                        .place = std::move(places[i]),
                        .datatype = tensors[i].datatype,
                        .rank = tensors[i].shape.size()});
    tensors[i].shape_is_hint = true;
    abi_.AddOutput(std::move(tensors[i]));
  }
  return base::OkStatus();
}

base::Result<TorchSignature> TorchSignature::Make(const inferd_load& load, const ModelFunction& method,
                                                  int compute_threads) {
  const MethodSchema& schema = method.schema();
  Descriptions inputs = Declared(load.declared->inputs, load.declared->input_count);
  if (inputs.empty()) {
    INFERD_ASSIGN_OR_RETURN(inputs, CompleteInputs(schema));
  }
  TorchSignature signature;
  INFERD_RETURN_IF_ERROR(signature.AddInputs(inputs, schema));
  Descriptions outputs = Declared(load.declared->outputs, load.declared->output_count);
  if (outputs.empty()) {
    std::vector<size_t> arguments;
    for (const InputTensor& input : signature.inputs_) arguments.push_back(input.argument);
    INFERD_ASSIGN_OR_RETURN(outputs, ProbeOutputs(method, inputs, arguments));
  }
  INFERD_RETURN_IF_ERROR(signature.AddOutputs(std::move(outputs), schema));
  signature.abi_.Finish(compute_threads);
  return signature;
}

}  // namespace inferd::torchscript

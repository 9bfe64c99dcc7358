#include "engines/torch/output_probe.h"

#include <ATen/core/Dict.h>
#include <ATen/core/List.h>
#include <ATen/ops/zeros.h>

#include <string>
#include <utility>

#include "engines/torch/function/element_type.h"
#include "engines/torch/function/error_text.h"
#include "engines/torch/tensor_values.h"

namespace inferd::torchscript {

namespace {

using kit::TensorDescription;
using Descriptions = std::vector<TensorDescription>;

// The values for dimensions of any size, and for integers, which may be sizes. Dimensions of results that differ
// between the executions depend on them.
constexpr int64_t kSizes[] = {2, 3};
constexpr int64_t kElementsMax = 16 << 20;
constexpr size_t kOutputsMax = 1024;

// Returns the shape of an execution's input: the example's, if the file has one.
base::Result<std::vector<int64_t>> ShapeOf(const TensorDescription& input, const std::vector<int64_t>& example,
                                           int64_t size) {
  std::vector<int64_t> shape = example.size() == input.shape.size() ? example : input.shape;
  int64_t elements = 1;
  for (int64_t& dim : shape) {
    if (dim < 0) dim = size;
    if (dim > 0 && elements > kElementsMax / dim) {
      return std::unexpected(base::InvalidArgument("input '" + input.name + "' is too large to try"));
    }
    elements *= dim;
  }
  return shape;
}

c10::IValue ZerosOf(ValueKind kind, int32_t datatype, const std::vector<int64_t>& shape, int64_t size) {
  switch (kind) {
    case ValueKind::kInt: return size;
    case ValueKind::kFloat: return 0.0;
    case ValueKind::kBool: return false;
    case ValueKind::kStrings: {
      c10::List<std::string> list;
      for (int64_t i = 0; i < (shape.empty() ? 1 : shape[0]); ++i) list.emplace_back();
      return list;
    }
    default: return at::zeros(shape, at::TensorOptions(*ToElementType(datatype)));
  }
}

base::Result<c10::IValue> Execute(const ModelFunction& method, const Descriptions& inputs,
                                  const std::vector<size_t>& arguments, int64_t size) {
  const MethodSchema& schema = method.schema();
  c10::Dict<std::string, at::Tensor> dict;
  std::vector<c10::IValue> values;
  for (size_t i = 0; i < schema.arguments.size(); ++i) values.push_back(method.default_of(i));
  for (size_t i = 0; i < inputs.size(); ++i) {
    const MethodArgument& argument = schema.arguments[arguments[i]];
    INFERD_ASSIGN_OR_RETURN(const std::vector<int64_t> shape, ShapeOf(inputs[i], argument.example, size));
    c10::IValue zeros =
        ZerosOf(schema.takes_dict ? ValueKind::kTensor : argument.kind, inputs[i].datatype, shape, size);
    if (schema.takes_dict) {
      dict.insert(inputs[i].name, zeros.toTensor());
    } else {
      values[arguments[i]] = std::move(zeros);
    }
  }
  if (schema.takes_dict) values[0] = dict;
  return method.Call(std::move(values));
}

base::Result<TensorDescription> Describe(const c10::IValue& part, std::string name) {
  TensorDescription output{.name = std::move(name)};
  if (IsStrings(part)) {
    output.datatype = INFERD_TYPE_BYTES;
    if (part.isList()) output.shape = {static_cast<int64_t>(part.toListRef().size())};
    return output;
  }
  auto tensor = ToDense(part);
  if (!tensor) return std::unexpected(tensor.error().WithContext("output '" + output.name + "'"));
  output.datatype = ToDatatype(tensor->scalar_type());
  output.shape = tensor->sizes().vec();
  return output;
}

base::Result<Descriptions> DescribeAll(const c10::IValue& answer, const MethodSchema& schema) {
  INFERD_ASSIGN_OR_RETURN(std::vector<std::string> names, NameParts(answer, schema.result_names));
  if (names.empty() || names.size() > kOutputsMax) {
    return std::unexpected(base::InvalidArgument("the model's answer has " + std::to_string(names.size()) + " parts"));
  }
  Descriptions outputs;
  for (size_t i = 0; i < names.size(); ++i) {
    INFERD_ASSIGN_OR_RETURN(const c10::IValue part,
                            FindPart(answer, {.position = i, .key = answer.isGenericDict() ? names[i] : ""}));
    INFERD_ASSIGN_OR_RETURN(TensorDescription output, Describe(part, std::move(names[i])));
    outputs.push_back(std::move(output));
  }
  return outputs;
}

bool HasExample(const MethodSchema& schema) {
  for (const MethodArgument& argument : schema.arguments) {
    if (argument.datatype != INFERD_TYPE_INVALID) return true;
  }
  return false;
}

// Joins two executions' outputs.
base::Status Join(const Descriptions& others, Descriptions* outputs) {
  if (others.size() != outputs->size()) return base::InvalidArgument("the model's answers differ in their parts");
  for (size_t i = 0; i < others.size(); ++i) {
    TensorDescription& output = (*outputs)[i];
    if (others[i].name != output.name || others[i].datatype != output.datatype) {
      return base::InvalidArgument("the model's answers differ in output '" + output.name + "'");
    }
    if (others[i].shape.size() != output.shape.size()) {
      output.shape.clear();
      output.any_shape = output.unknown_rank = true;
      continue;
    }
    for (size_t d = 0; d < output.shape.size(); ++d) {
      if (others[i].shape[d] != output.shape[d]) output.shape[d] = -1;
    }
  }
  return base::OkStatus();
}

base::Result<Descriptions> Probe(const ModelFunction& method, const Descriptions& inputs,
                                 const std::vector<size_t>& arguments) {
  Descriptions outputs;
  for (const int64_t size : kSizes) {
    INFERD_ASSIGN_OR_RETURN(c10::IValue answer, Execute(method, inputs, arguments, size));
    if (method.schema().flattens) answer = Flattened(std::move(answer));
    INFERD_ASSIGN_OR_RETURN(Descriptions found, DescribeAll(answer, method.schema()));
    if (outputs.empty()) outputs = found;
    INFERD_RETURN_IF_ERROR(Join(found, &outputs));
  }
  if (!HasExample(method.schema())) return outputs;
  // An example has only one size.
  for (TensorDescription& output : outputs) output.shape.assign(output.shape.size(), -1);
  return outputs;
}

}  // namespace

base::Result<Descriptions> ProbeOutputs(const ModelFunction& method, const Descriptions& inputs,
                                        const std::vector<size_t>& arguments) {
  std::string why;
  try {
    auto outputs = Probe(method, inputs, arguments);
    if (outputs.has_value()) return outputs;
    why = outputs.error().message();
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::exception& exception) {
    why = ErrorText(exception.what());
  }
  return std::unexpected(base::InvalidArgument(
      "the configuration lists no outputs, and they were not found by executing the model on zeros: " + why +
      "; list them in config.pbtxt, such as output { name: \"OUTPUT__0\" data_type: TYPE_FP32 dims: [ -1 ] }"));
}

}  // namespace inferd::torchscript

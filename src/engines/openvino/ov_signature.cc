#include "engines/openvino/ov_signature.h"

#include "engines/openvino/element_type.h"
#include "engines/openvino/tensor_names.h"

namespace inferd::openvino {

namespace {

// The library copies inputs that are not aligned like its own vectors.
constexpr size_t kInputAlignment = 64;

using Port = ov::Output<const ov::Node>;

NameChoices ChoicesOf(const Port& port, const ov::Node& node) {
  NameChoices choices{.tensor = {}, .node = node.get_friendly_name()};
  for (const std::string& name : port.get_names()) choices.tensor.insert(name);
  return choices;
}

// A result node follows the operator that computes it.
const ov::Node& SourceOf(const Port& output) { return *output.get_node()->get_input_node_ptr(0); }

base::Result<OvTensor> ReadTensor(const Port& port, std::string name) {
  OvTensor tensor{.name = std::move(name), .type = port.get_element_type(), .shape = {}};
  tensor.datatype = ToDatatype(tensor.type);
  if (tensor.type == ov::element::string) {
    return std::unexpected(
        base::InvalidArgument("tensor '" + tensor.name +
                              "' is of strings, for which OpenVINO has no operators: the engines onnxruntime and "
                              "tensorflow serve such models"));
  }
  if (tensor.datatype == INFERD_TYPE_INVALID) {
    return std::unexpected(base::InvalidArgument("tensor '" + tensor.name + "' has elements of type " +
                                                 tensor.type.get_type_name() + ", which no protocol carries"));
  }
  const ov::PartialShape& shape = port.get_partial_shape();
  tensor.known_rank = shape.rank().is_static();
  tensor.fixed = shape.is_static();
  for (size_t d = 0; tensor.known_rank && d < shape.size(); ++d) {
    tensor.shape.push_back(shape[d].is_static() ? shape[d].get_length() : -1);
  }
  return tensor;
}

kit::TensorDescription Describe(const OvTensor& tensor) {
  return {.name = tensor.name,
          .datatype = tensor.datatype,
          .shape = tensor.shape,
          .alignment = kInputAlignment,
          .any_shape = !tensor.known_rank,
          .unknown_rank = !tensor.known_rank,
          .shape_is_hint = true};
}

}  // namespace

base::Result<OvSignature> OvSignature::Read(const ov::Model& model, const FileNames& file, int compute_threads) {
  std::vector<NameChoices> inputs;
  std::vector<NameChoices> outputs;
  for (const Port& port : model.inputs()) inputs.push_back(ChoicesOf(port, *port.get_node()));
  for (const Port& port : model.outputs()) outputs.push_back(ChoicesOf(port, SourceOf(port)));
  TensorNames names = ChooseNames(inputs, outputs, file.graph);
  UseSignatureNames(inputs, file.lite.inputs, &names.inputs);
  UseSignatureNames(outputs, file.lite.outputs, &names.outputs);
  OvSignature signature;
  for (size_t i = 0; i < inputs.size(); ++i) {
    INFERD_ASSIGN_OR_RETURN(OvTensor tensor, ReadTensor(model.input(i), std::move(names.inputs[i])));
    signature.abi_.AddInput(Describe(tensor));
    signature.inputs_.push_back(std::move(tensor));
  }
  for (size_t i = 0; i < outputs.size(); ++i) {
    INFERD_ASSIGN_OR_RETURN(OvTensor tensor, ReadTensor(model.output(i), std::move(names.outputs[i])));
    signature.abi_.AddOutput(Describe(tensor));
    signature.outputs_.push_back(std::move(tensor));
  }
  signature.abi_.Finish(compute_threads);
  return signature;
}

}  // namespace inferd::openvino

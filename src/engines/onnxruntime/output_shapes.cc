#include "engines/onnxruntime/output_shapes.h"

namespace inferd::onnxruntime {

OutputShapes::OutputShapes(const OnnxSignature& signature) {
  const auto find = [&signature](const std::string& symbol) {
    Dimension found;
    for (size_t i = 0; !symbol.empty() && i < signature.inputs().size(); ++i) {
      const OnnxTensor& input = signature.inputs()[i];
      for (size_t d = 0; d < input.symbols.size(); ++d) {
        if (input.shape[d] == -1 && input.symbols[d] == symbol) return Dimension{-1, static_cast<int>(i), d};
      }
    }
    return found;
  };
  for (const OnnxTensor& output : signature.outputs()) {
    Output& entry = outputs_.emplace_back();
    // Rank 0 may also mean that the file has no shape. Strings are not computed into flat memory.
    entry.known = !output.shape.empty() && output.element_size > 0;
    for (size_t d = 0; d < output.shape.size(); ++d) {
      const Dimension dimension = output.shape[d] >= 0 ? Dimension{output.shape[d], -1, 0} : find(output.symbols[d]);
      entry.known = entry.known && (dimension.size >= 0 || dimension.input >= 0);
      entry.dimensions.push_back(dimension);
    }
  }
}

bool OutputShapes::Predict(size_t output, std::span<const inferd_input* const> inputs,
                           std::vector<int64_t>* shape) const {
  const Output& entry = outputs_[output];
  if (!entry.known) return false;
  shape->clear();
  for (const Dimension& dimension : entry.dimensions) {
    if (dimension.size >= 0) {
      shape->push_back(dimension.size);
      continue;
    }
    const inferd_input* input = inputs[static_cast<size_t>(dimension.input)];
    if (input == nullptr || dimension.position >= input->rank) return false;
    shape->push_back(input->shape[dimension.position]);
  }
  return true;
}

}  // namespace inferd::onnxruntime

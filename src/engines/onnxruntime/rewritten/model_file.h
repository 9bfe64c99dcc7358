#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "base/status.h"
#include "engines/kit/parameters.h"
#include "engines/rewrite/onnx/onnx_writer.h"
#include "inferd/engine_abi.h"

// What the readers of foreign files share.

namespace inferd::onnxruntime {

// The bytes of a file. NOT_FOUND: it is not there. RESOURCE_EXHAUSTED: it has more than `bytes_max`.
base::Result<std::string> ReadModelFile(const std::filesystem::path& path, uint64_t bytes_max);

// kUndefined: ONNX has none such.
onnx::Element ToElement(int32_t datatype);

// The configured inputs, as the reader has them, of datatypes that ONNX has; the reader says what is missing.
template <typename Input>
std::vector<Input> ConfiguredInputs(const inferd_load& load) {
  std::vector<Input> inputs;
  for (size_t i = 0; i < load.declared->input_count; ++i) {
    const inferd_tensor_spec& spec = *load.declared->inputs[i];
    const onnx::Element element = ToElement(spec.datatype);
    if (element == onnx::Element::kUndefined) continue;
    inputs.push_back(
        {.name = kit::ToView(spec.name), .element = element, .shape = {spec.shape, spec.shape + spec.rank}});
  }
  return inputs;
}

}  // namespace inferd::onnxruntime

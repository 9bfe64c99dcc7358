#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "base/status.h"
#include "engines/kit/parameters.h"
#include "engines/rewrite/onnx/onnx_writer.h"
#include "inferd/engine_abi.h"

// Shared functions of the readers of foreign files.

namespace inferd::onnxruntime {

// Returns the bytes of a file. NOT_FOUND if it does not exist. RESOURCE_EXHAUSTED if it has more than `bytes_max`.
base::Result<std::string> ReadModelFile(const std::filesystem::path& path, uint64_t bytes_max);

// Returns kUndefined if ONNX has no such type.
onnx::Element ToElement(int32_t datatype);

// Returns the configured inputs of datatypes that ONNX has, in the reader's form. The reader reports missing ones.
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

#pragma once

#include <span>
#include <string>
#include <string_view>

namespace inferd::config {

// The engine that acts on optimization { execution_accelerators { gpu_execution_accelerator } } and optimization { cuda
// }, for models with instances on GPUs.
inline constexpr std::string_view kAcceleratedEngine = "onnxruntime";

// Returns the names of an accelerator's parameters, as docs/onnx-models.md lists them; the engine checks their values.
// Empty if the engine has no such accelerator.
std::span<const std::string_view> AcceleratorParameters(std::string_view accelerator);

// Returns "'cuda' and 'tensorrt'", for error texts.
std::string KnownAccelerators();

}  // namespace inferd::config

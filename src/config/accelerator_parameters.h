#pragma once

#include <span>
#include <string>
#include <string_view>

namespace inferd::config {

// The engine that acts on optimization { execution_accelerators { gpu_execution_accelerator } } and
// optimization { cuda }, of models whose instances are on GPUs.
inline constexpr std::string_view kAcceleratedEngine = "onnxruntime";

// The names of an accelerator's parameters there, as docs/onnx-models.md lists them; what values they take, the engine
// knows. Empty: it has no such accelerator.
std::span<const std::string_view> AcceleratorParameters(std::string_view accelerator);

// "'cuda' and 'tensorrt'", for error texts.
std::string KnownAccelerators();

}  // namespace inferd::config

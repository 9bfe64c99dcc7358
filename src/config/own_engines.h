#pragma once

#include <string_view>

namespace inferd::config {

// The engines that come with the server. The capabilities of other engines, which an operator adds, are unknown from a
// configuration alone.
struct OwnEngine {
  std::string_view name;
  bool gpus;         // its instances may be on GPUs
  bool installable;  // tools/install_engine supports it, for builds without it
};

inline constexpr OwnEngine kOwnEngines[] = {
    {.name = "onnxruntime", .gpus = true, .installable = true},
    {.name = "openvino", .gpus = false, .installable = true},
    {.name = "tensorflow", .gpus = false, .installable = true},
    {.name = "torch", .gpus = false, .installable = true},
    {.name = "forest", .gpus = false, .installable = true},
    {.name = "python", .gpus = false, .installable = true},
    {.name = "fake", .gpus = true, .installable = false},
};

// Null if it is not one of these.
constexpr const OwnEngine* FindOwnEngine(std::string_view name) {
  for (const OwnEngine& engine : kOwnEngines) {
    if (engine.name == name) return &engine;
  }
  return nullptr;
}

}  // namespace inferd::config

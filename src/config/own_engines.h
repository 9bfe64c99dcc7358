#pragma once

#include <string_view>

namespace inferd::config {

// The engines that come with the server. Of others, which an operator adds, a configuration alone does not tell what
// they can do.
struct OwnEngine {
  std::string_view name;
  bool gpus;  // its instances may be on GPUs
};

inline constexpr OwnEngine kOwnEngines[] = {{"onnxruntime", false}, {"tensorflow", false}, {"fake", true}};

// Null: it is none of these.
constexpr const OwnEngine* FindOwnEngine(std::string_view name) {
  for (const OwnEngine& engine : kOwnEngines) {
    if (engine.name == name) return &engine;
  }
  return nullptr;
}

}  // namespace inferd::config

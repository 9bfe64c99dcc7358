#pragma once

#include <cstdint>
#include <string>

namespace inferd::core {

// A served version of a model. Versions are decimal folder names (Triton 3.4); `0` counts.
struct ModelId {
  std::string name;
  int64_t version = 0;

  bool operator==(const ModelId&) const = default;
};

}  // namespace inferd::core

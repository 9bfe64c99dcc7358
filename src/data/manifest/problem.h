#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "data/manifest/value.h"

namespace inferd::manifest {

// A mistake in a manifest, with its position.
struct Problem {
  Position position{};  // line 0 if it has no place in the file
  std::string path{};   // the field, such as "spec.predictor.minReplicas"; empty for the object itself
  std::string message;

  // Returns "FILE:LINE:COLUMN: PATH: MESSAGE", without unknown parts. `file` may be empty.
  std::string ToString(std::string_view file) const;
};

using Problems = std::vector<Problem>;

// Returns "spec.predictor". A key with other characters, such as "a.b/c", is put in brackets: "metadata.labels[a.b/c]".
std::string PathOf(std::string_view parent, std::string_view key);
// Returns "spec.predictor.containers[2]".
std::string PathOf(std::string_view parent, size_t index);

}  // namespace inferd::manifest

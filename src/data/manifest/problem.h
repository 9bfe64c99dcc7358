#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "data/manifest/value.h"

namespace inferd::manifest {

// What is wrong with a manifest, and where.
struct Problem {
  Position position{};  // line 0: of no place in the file
  std::string path{};   // the field, as "spec.predictor.minReplicas"; empty: the object itself
  std::string message;

  // "FILE:LINE:COLUMN: PATH: MESSAGE", without the parts that are not known. `file` may be empty.
  std::string ToString(std::string_view file) const;
};

using Problems = std::vector<Problem>;

// "spec.predictor"; a key that would not read as one, such as "a.b/c", in brackets: "metadata.labels[a.b/c]".
std::string PathOf(std::string_view parent, std::string_view key);
// "spec.predictor.containers[2]".
std::string PathOf(std::string_view parent, size_t index);

}  // namespace inferd::manifest

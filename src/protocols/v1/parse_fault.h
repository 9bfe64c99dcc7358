#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

#include "base/status.h"

namespace inferd::v1 {

// Where a text stops being JSON, in the words of RapidJSON, which TensorFlow Serving reads bodies with.
struct ParseFault {
  std::string_view what;
  size_t offset = 0;
};

// Finds the first syntax error of a body. NaN, Inf and Infinity are numbers, and what follows the body does not matter.
// Returns nothing if there is none: repeated keys, malformed UTF-8 and depth are no syntax errors. Takes memory for
// each open array and object. Pure; runs on any thread.
std::optional<ParseFault> FindParseFault(std::string_view body);

// Returns an error of ParseError's (body_members.h) as TensorFlow Serving words it. Other errors, and those that
// RapidJSON does not know, come back as they are.
base::Status InServingWords(base::Status status, std::string_view body);

}  // namespace inferd::v1

#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

#include "base/status.h"

namespace inferd::v1 {

// The position at which a text stops being JSON, in the words of RapidJSON, TensorFlow Serving's parser.
struct ParseFault {
  std::string_view what;
  size_t offset = 0;
};

// Finds the first syntax error of a body. NaN, Inf and Infinity are numbers, and text after the body is ignored.
// nullopt if there is none: repeated keys, malformed UTF-8 and depth are no syntax errors. Uses memory for each open
// array and object. Pure; runs on any thread.
std::optional<ParseFault> FindParseFault(std::string_view body);

// Converts an error of ParseError() (body_members.h) to TensorFlow Serving's words. Returns other errors, and those
// that RapidJSON does not have, unchanged.
base::Status InServingWords(base::Status status, std::string_view body);

}  // namespace inferd::v1

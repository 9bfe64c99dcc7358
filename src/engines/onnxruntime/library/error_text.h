#pragma once

#include <string>
#include <string_view>

namespace inferd::onnxruntime {

// Returns `message` of the library without source locations: paths with lines, and signatures of its functions, which
// precede the actual error.
std::string WithoutSourcePlaces(std::string_view message);

// Returns the library's reason for not loading a file, in words for the file's author: without source locations, and
// with advice on unsupported versions, operator sets and operators. `has_libraries`: the configuration names libraries
// with operators.
std::string ExplainLoadError(std::string_view message, bool has_libraries);

}  // namespace inferd::onnxruntime

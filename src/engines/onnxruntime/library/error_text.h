#pragma once

#include <string>
#include <string_view>

namespace inferd::onnxruntime {

// Returns `message` of the library without places in the library's sources: paths with lines, and signatures of its
// functions, which stand before what went wrong there.
std::string WithoutSourcePlaces(std::string_view message);

// Returns the library's reason for not loading a file in words for the one who made the file: without places in the
// library's sources, and with what to do about versions, operator sets and operators that the library does not have.
// `has_libraries`: the configuration names libraries with operators.
std::string ExplainLoadError(std::string_view message, bool has_libraries);

}  // namespace inferd::onnxruntime

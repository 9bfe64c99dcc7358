#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace inferd::base {

// File name patterns with at most one star, which matches one character or more: "*.onnx", "*-symbol.json", "MLmodel".

// Returns the part of `filename` that the star matches; empty if there is no star. nullopt if the name does not match.
// Text after a star matches in any case.
std::optional<std::string_view> StarOf(std::string_view pattern, std::string_view filename);

// Returns the pattern with `star` in place of its star.
std::string WithStar(std::string_view pattern, std::string_view star);

}  // namespace inferd::base

#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace inferd::config {

// Names of files with at most one star, which stands for one character or more: "*.onnx", "*-symbol.json", "MLmodel".

// What the star stands for in `filename`; empty where there is none. Nothing: the name does not fit. What follows a
// star may be in letters of any case.
std::optional<std::string_view> StarOf(std::string_view pattern, std::string_view filename);

// The pattern with `star` in place of its star.
std::string WithStar(std::string_view pattern, std::string_view star);

}  // namespace inferd::config

#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "data/manifest/value.h"

namespace inferd::manifest {

// What YAML's plain (unquoted) scalar means to Kubernetes, whose reader has the rules of YAML 1.1: null, a boolean, a
// number or, if nothing else, a string. nullopt: a number that JSON does not have (.inf, .nan).
std::optional<Value> ResolvePlainScalar(std::string_view text);

// Whether the plain scalar is a string.
bool IsPlainString(std::string_view text);

}  // namespace inferd::manifest

#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "data/manifest/value.h"

namespace inferd::manifest {

// Returns the value of YAML's plain (unquoted) scalar for Kubernetes, whose reader follows YAML 1.1: null, a boolean, a
// number or else a string. nullopt for a number that JSON does not have (.inf, .nan).
std::optional<Value> ResolvePlainScalar(std::string_view text);

// Returns true if the plain scalar is a string.
bool IsPlainString(std::string_view text);

}  // namespace inferd::manifest

#pragma once

#include <string>

#include "data/manifest/value.h"

namespace inferd::manifest {

// The value as text that Read reads back as an equal value, numbers as they are. Thread-safe.

// One YAML document in block style, without "---"; ends with a line feed. Strings that other YAML readers would take
// for something else are quoted.
std::string ToYaml(const Value& value);

// JSON without white space.
std::string ToJson(const Value& value);

}  // namespace inferd::manifest

#pragma once

#include <string>

#include "data/manifest/value.h"

namespace inferd::manifest {

// Prints values. Read() reads the text back as an equal value, and numbers keep their text. Thread-safe.

// Prints one YAML document in block style, without "---", ending with a line feed. Quotes strings that other YAML
// readers could take for another type.
std::string ToYaml(const Value& value);

// Prints JSON without white space.
std::string ToJson(const Value& value);

}  // namespace inferd::manifest

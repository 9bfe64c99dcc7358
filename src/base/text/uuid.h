#pragma once

#include <string>

namespace inferd::base {

// Returns a new, unique UUID of version 4 (RFC 9562), in lower case. Thread-safe. Not a secret: it can be guessed.
std::string NewUuid();

}  // namespace inferd::base

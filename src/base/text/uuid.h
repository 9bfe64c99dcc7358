#pragma once

#include <string>

namespace inferd::base {

// A UUID that no other is equal to: of version 4 (RFC 9562), in small letters. Thread-safe. No secret: it can be
// guessed.
std::string NewUuid();

}  // namespace inferd::base

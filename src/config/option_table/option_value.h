#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/status.h"

// Parsers for the values of options. Errors are INVALID_ARGUMENT "expected ..., got '...'", to be appended to the
// option's name.

namespace inferd::config {

base::Result<bool> ParseBool(std::string_view text);  // true false on off yes no 1 0, in any case
base::Result<int64_t> ParseInteger(std::string_view text, int64_t min, int64_t max);
// Parses a number with B, KB, MB, GB (powers of ten), KiB, MiB, GiB or K, M, G (powers of two) after it.
base::Result<uint64_t> ParseBytes(std::string_view text);
// Parses a number with ms, s, m or h after it; a bare number is in seconds.
base::Result<std::chrono::milliseconds> ParseDuration(std::string_view text);

std::string PrintBytes(uint64_t bytes);
std::string PrintDuration(std::chrono::milliseconds duration);

}  // namespace inferd::config

#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace inferd::storage {

// Content-Range of a response (RFC 9110, 14.4): bytes [begin, end) of a file.
struct ContentRange {
  uint64_t begin = 0;
  uint64_t end = 0;                   // > begin, and <= size
  std::optional<uint64_t> size = {};  // of the whole file; nullopt if unknown ("*")
};

// Parses a decimal number of bytes, without a sign. nullopt if the text is malformed, or exceeds 64 bits.
std::optional<uint64_t> ReadNumber(std::string_view text);

// Parses "bytes 0-499/1234". nullopt if the text is not a range of bytes, or contradicts itself.
std::optional<ContentRange> ParseContentRange(std::string_view text);

// Parses "bytes */1234" of a response with status 416, and returns the size of the whole file. nullopt if the text is
// something else.
std::optional<uint64_t> ParseUnsatisfiedRange(std::string_view text);

}  // namespace inferd::storage

#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace inferd::storage {

// Content-Range of a response (RFC 9110, 14.4): bytes [begin, end) of a file.
struct ContentRange {
  uint64_t begin = 0;
  uint64_t end = 0;                   // above begin, and not above size
  std::optional<uint64_t> size = {};  // of the whole file; nullopt: "*", which says that it is not known
};

// Parses a decimal number of bytes, without a sign. nullopt: the text is none, or more than 64 bits hold.
std::optional<uint64_t> ReadNumber(std::string_view text);

// Parses "bytes 0-499/1234". nullopt: the text is no such range of bytes, or one that contradicts itself.
std::optional<ContentRange> ParseContentRange(std::string_view text);

// Parses "bytes */1234", which a response with the status 416 has, and returns the size of the whole file. nullopt: the
// text is something else.
std::optional<uint64_t> ParseUnsatisfiedRange(std::string_view text);

}  // namespace inferd::storage

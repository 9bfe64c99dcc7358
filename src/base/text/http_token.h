#pragma once

#include <algorithm>
#include <string_view>

namespace inferd::base {

// Whether `c` may stand in a token of HTTP, as names of headers are (RFC 9110, 5.6.2).
inline bool IsTokenCharacter(char c) {
  const bool alphanumeric = (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
  return alphanumeric || std::string_view("!#$%&'*+-.^_`|~").contains(c);
}

// A token has one character at least.
inline bool IsToken(std::string_view text) { return !text.empty() && std::ranges::all_of(text, IsTokenCharacter); }

}  // namespace inferd::base

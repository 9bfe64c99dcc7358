#pragma once

#include <algorithm>
#include <string_view>

namespace inferd::base {

// Returns true if `c` may stand in an HTTP token, such as a header's name (RFC 9110, 5.6.2).
inline bool IsTokenCharacter(char c) {
  const bool alphanumeric = (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
  return alphanumeric || std::string_view("!#$%&'*+-.^_`|~").contains(c);
}

// Returns true if `text` is a token: one or more token characters.
inline bool IsToken(std::string_view text) { return !text.empty() && std::ranges::all_of(text, IsTokenCharacter); }

}  // namespace inferd::base

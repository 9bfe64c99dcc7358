#pragma once

#include <algorithm>
#include <string_view>

namespace inferd::base {

// At least one character, and each an ASCII digit, whatever the locale: a number without sign or limit.
inline bool IsDigits(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

}  // namespace inferd::base

#pragma once

#include <algorithm>
#include <string_view>

namespace inferd::base {

// Returns true if `text` is an unsigned number of any length: one or more ASCII digits, whatever the locale.
inline bool IsDigits(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

}  // namespace inferd::base

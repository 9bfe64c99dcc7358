#pragma once

#include <algorithm>
#include <cstddef>
#include <string_view>

namespace inferd::net {

// Returns `text` without the spaces and tabs around it, as values and list items may have them (RFC 9110, 5.6.3).
constexpr std::string_view TrimSpace(std::string_view text) {
  const size_t first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

// Calls `each` for each item of a comma-separated list of tokens, without the space around it.
template <typename Each>
void ForEachToken(std::string_view list, Each each) {
  while (!list.empty()) {
    const size_t comma = std::min(list.find(','), list.size());
    each(TrimSpace(list.substr(0, comma)));
    list.remove_prefix(std::min(comma + 1, list.size()));
  }
}

}  // namespace inferd::net

#pragma once

#include <algorithm>
#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "net/http/ascii.h"

namespace inferd::net::http1 {

// RFC 9110, 5.6.2; empty text is one.
bool IsToken(std::string_view text);

// A header line without its line end, read strictly (RFC 9112, 5): name and value, views into `line`, which is not
// empty. The error says what is wrong with it.
std::expected<std::pair<std::string_view, std::string_view>, std::string> ParseFieldLine(std::string_view line);

// Decimal digits only; what does not fit 64 bits is over every limit: UINT64_MAX.
std::optional<uint64_t> ParseContentLength(std::string_view text);

// Each item of a comma-separated list of tokens, without the space around it.
template <typename Each>
void ForEachToken(std::string_view list, Each each) {
  while (!list.empty()) {
    const size_t comma = std::min(list.find(','), list.size());
    each(TrimSpace(list.substr(0, comma)));
    list.remove_prefix(std::min(comma + 1, list.size()));
  }
}

}  // namespace inferd::net::http1

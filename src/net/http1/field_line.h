#pragma once

#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace inferd::net::http1 {

// RFC 9110, 5.6.2; empty text is one.
bool IsToken(std::string_view text);

// A header line without its line end, read strictly (RFC 9112, 5): name and value, views into `line`, which is not
// empty. The error says what is wrong with it.
std::expected<std::pair<std::string_view, std::string_view>, std::string> ParseFieldLine(std::string_view line);

// Decimal digits only; what does not fit 64 bits is over every limit: UINT64_MAX.
std::optional<uint64_t> ParseContentLength(std::string_view text);

}  // namespace inferd::net::http1

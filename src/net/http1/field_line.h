#pragma once

#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace inferd::net::http1 {

// Returns true if `text` is a token (RFC 9110, 5.6.2). An empty text is one.
bool IsToken(std::string_view text);

// Parses a header line without its line end, strictly (RFC 9112, 5). Returns name and value, views into `line`, which
// must not be empty. The error says what is wrong.
std::expected<std::pair<std::string_view, std::string_view>, std::string> ParseFieldLine(std::string_view line);

// Parses decimal digits only. Returns UINT64_MAX, which is above every limit, for a number of more than 64 bits.
std::optional<uint64_t> ParseContentLength(std::string_view text);

}  // namespace inferd::net::http1

#include "net/http1/field_line.h"

#include <array>

#include "net/http/ascii.h"
#include "net/http1/field_value.h"

namespace inferd::net::http1 {

namespace {

constexpr std::array<bool, 256> kTokenChars = [] {
  std::array<bool, 256> table{};
  for (const char c : std::string_view("!#$%&'*+-.^_`|~0123456789")) table[static_cast<unsigned char>(c)] = true;
  for (char c = 'a'; c <= 'z'; ++c) table[static_cast<unsigned char>(c)] = true;
  for (char c = 'A'; c <= 'Z'; ++c) table[static_cast<unsigned char>(c)] = true;
  return table;
}();

}  // namespace

// Checks all characters without an early exit, since nearly every text is a token.
bool IsToken(std::string_view text) {
  bool all = true;
  for (const char c : text) all &= kTokenChars[static_cast<unsigned char>(c)];
  return all;
}

std::expected<std::pair<std::string_view, std::string_view>, std::string> ParseFieldLine(std::string_view line) {
  if (line.front() == ' ' || line.front() == '\t') return std::unexpected("folded header lines are not accepted");
  const size_t colon = line.find(':');
  if (colon == std::string_view::npos || colon == 0) return std::unexpected("malformed header line");
  const std::string_view name = line.substr(0, colon);
  if (!IsToken(name)) return std::unexpected("malformed header name");
  const std::string_view value = TrimSpace(line.substr(colon + 1));
  if (!IsFieldValue(value)) return std::unexpected("malformed value of header '" + std::string(name) + "'");
  return std::pair(name, value);
}

std::optional<uint64_t> ParseContentLength(std::string_view text) {
  if (text.empty()) return std::nullopt;
  uint64_t length = 0;
  for (const char c : text) {
    if (c < '0' || c > '9') return std::nullopt;
    const auto digit = static_cast<uint64_t>(c - '0');
    length = length > (UINT64_MAX - digit) / 10 ? UINT64_MAX : length * 10 + digit;
  }
  return length;
}

}  // namespace inferd::net::http1

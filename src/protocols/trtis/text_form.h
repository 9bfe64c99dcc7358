#pragma once

#include <charconv>
#include <cstdint>
#include <string>
#include <string_view>

// Protobuf's text form, written front to back.

namespace inferd::trtis {

inline void AppendDecimal(std::string& out, uint64_t value) {
  char digits[20];
  out.append(digits, std::to_chars(digits, digits + sizeof digits, value).ptr);
}

// As 0.25, inf or nan.
void AppendFloatText(std::string& out, float value);

// In quotes, everything but printable ASCII escaped: no line break is left, nor a byte beyond 0x7e.
void AppendQuoted(std::string& out, std::string_view text);

}  // namespace inferd::trtis

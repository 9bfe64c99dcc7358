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

// Appends 0.25, inf or nan.
void AppendFloatText(std::string& out, float value);

// Appends quoted text with everything except printable ASCII escaped: it has no line breaks, and no byte beyond 0x7e.
void AppendQuoted(std::string& out, std::string_view text);

}  // namespace inferd::trtis

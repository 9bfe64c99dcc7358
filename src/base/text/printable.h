#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace inferd::base {

// Returns true if the text is UTF-8 without control characters (U+0000 to U+001F, U+007F to U+009F).
bool IsPrintable(std::string_view text);

// Returns `text` in a form for log lines and messages. Unprintable bytes become \xNN, or \n, \r, \t. If it has more
// than `bytes_max` bytes, it is cut there, and the number of its bytes is added.
std::string Printable(std::string_view text, size_t bytes_max);

// Returns the quotation of a client's name for an error message: its printable form, cut at 256 bytes.
std::string QuotedName(std::string_view name);

}  // namespace inferd::base

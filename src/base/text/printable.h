#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace inferd::base {

// Whether it is UTF-8 and has no control character (U+0000 to U+001F, U+007F to U+009F).
bool IsPrintable(std::string_view text);

// `text` as it can be put into a line of a log or a message: what is not printable as \xNN for each byte, or \n, \r,
// \t; and of more than `bytes_max` bytes no more than these, and how many there were.
std::string Printable(std::string_view text, size_t bytes_max);

// What an error message quotes of a name that a client sent: its printable form, cut at 256 bytes.
std::string QuotedName(std::string_view name);

}  // namespace inferd::base

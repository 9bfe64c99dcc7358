#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace inferd::base {

// Base64 of RFC 4648, section 4, with padding.

constexpr size_t Base64Size(size_t bytes) { return (bytes + 2) / 3 * 4; }

// Writes Base64Size(bytes.size()) characters to `out`; returns the end.
char* EncodeBase64(std::string_view bytes, char* out);

// Decodes strictly: canonical padding, no white space, no bits set behind the last byte. Writes at most text.size() / 4
// * 3 bytes to `out`, which may be `text`'s own memory. Returns the count, or nullopt if `text` is malformed.
std::optional<size_t> DecodeBase64(std::string_view text, char* out);

// Decodes strictly, too. Empty if `text` is malformed.
std::string DecodedBase64(std::string text);

// Decodes like DecodeBase64(), but accepts white space, missing padding, and any bits behind the last byte, as
// absl::Base64Unescape does. Writes at most text.size() bytes.
std::optional<size_t> DecodeLenientBase64(std::string_view text, char* out);

}  // namespace inferd::base

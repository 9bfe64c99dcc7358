#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace inferd::net {

// The supported content codings (RFC 9110, 8.4.1). "deflate" is the zlib format (RFC 1950).
enum class ContentCoding : uint8_t { kIdentity, kGzip, kDeflate };

// Returns "identity", "gzip" or "deflate".
std::string_view ContentCodingName(ContentCoding coding);

// Parses the value of a Content-Encoding header: one coding, in any case. An empty value is identity, "x-gzip" is gzip.
// nullopt for an unsupported coding or several codings (the caller answers 415).
std::optional<ContentCoding> ParseContentCoding(std::string_view content_encoding);

// Chooses the response's coding by an Accept-Encoding header (RFC 9110, 12.5.3): the one with the highest weight. Among
// equal weights gzip precedes deflate, and deflate identity. Identity if the header names no other supported coding, is
// malformed, or refuses all supported codings: an unwanted coding is better than no answer.
ContentCoding NegotiateContentCoding(std::string_view accept_encoding);

}  // namespace inferd::net

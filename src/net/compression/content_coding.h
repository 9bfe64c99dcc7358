#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace inferd::net {

// The content codings that are spoken (RFC 9110, 8.4.1). "deflate" is the zlib format (RFC 1950).
enum class ContentCoding : uint8_t { kIdentity, kGzip, kDeflate };

// "identity", "gzip", "deflate".
std::string_view ContentCodingName(ContentCoding coding);

// The value of a Content-Encoding header: one coding, without regard to case; empty is identity, "x-gzip" is gzip.
// nullopt: a coding that is not spoken, or several (the caller answers 415).
std::optional<ContentCoding> ParseContentCoding(std::string_view content_encoding);

// What to answer with, given an Accept-Encoding header (RFC 9110, 12.5.3): the coding with the highest weight, gzip
// before deflate before identity among equals. Identity where nothing else is named, where the header is malformed, and
// where the client refuses everything that is spoken: an answer it may dislike is better than none.
ContentCoding NegotiateContentCoding(std::string_view accept_encoding);

}  // namespace inferd::net

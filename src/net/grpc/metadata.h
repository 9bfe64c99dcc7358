#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/status.h"
#include "net/http/http.h"

// How metadata and statuses are written into header fields (PROTOCOL-HTTP2.md). Pure functions.

namespace inferd::net::grpc {

// Whether metadata of this name is binary: "Custom-Metadata", "-bin".
bool IsBinaryName(std::string_view name);

// Without the white space around it (RFC 9110, 5.6.3).
std::string_view TrimSpace(std::string_view text);
// The first of values that are joined by commas, trimmed; it is taken off `joined`.
std::string_view NextValue(std::string_view& joined);

// RFC 4648, 4, with or without padding. nullopt: it is none.
std::optional<std::string> DecodeBase64(std::string_view text);
// Without padding, as implementations "should emit" it.
std::string EncodeBase64(std::string_view bytes);

// "Status-Message": printable ASCII but '%' stands as it is, every other byte as %XX. At most kStatusMessageBytesMax
// come out (clients refuse trailers of more than some 8 KB), cut between two characters of UTF-8.
inline constexpr size_t kStatusMessageBytesMax = 4096;
std::string PercentEncode(std::string_view text);

// Appends grpc-status and, where there are any, grpc-message and grpc-status-details-bin.
void AppendStatus(const base::Status& status, std::string_view details, Trailers& out);

}  // namespace inferd::net::grpc

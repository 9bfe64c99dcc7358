#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/status.h"
#include "net/http/http.h"

// The encoding of metadata and statuses in header fields (PROTOCOL-HTTP2.md). Pure functions.

namespace inferd::net::grpc {

// Returns true if metadata of this name is binary: "Custom-Metadata", "-bin".
bool IsBinaryName(std::string_view name);

// Returns `text` without the white space around it (RFC 9110, 5.6.3).
std::string_view TrimSpace(std::string_view text);
// Removes the first of the comma-separated values from `joined` and returns it, trimmed.
std::string_view NextValue(std::string_view& joined);

// Decodes base64 (RFC 4648, 4) with or without padding. nullopt if it is malformed.
std::optional<std::string> DecodeBase64(std::string_view text);
// Encodes without padding, as implementations "should emit" it.
std::string EncodeBase64(std::string_view bytes);

// Encodes a "Status-Message": printable ASCII except '%' stays, every other byte becomes %XX. The result has at most
// kStatusMessageBytesMax bytes, since clients refuse trailers of more than about 8 KB. It is cut between two UTF-8
// characters.
inline constexpr size_t kStatusMessageBytesMax = 4096;
std::string PercentEncode(std::string_view text);

// Appends grpc-status and, if present, grpc-message and grpc-status-details-bin.
void AppendStatus(const base::Status& status, std::string_view details, Trailers& out);

}  // namespace inferd::net::grpc

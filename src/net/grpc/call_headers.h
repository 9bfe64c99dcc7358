#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "base/status.h"
#include "net/compression/content_coding.h"
#include "net/http/http.h"

// The parts of a call's headers that matter to the gRPC layer (PROTOCOL-HTTP2.md, "Requests"). Pure functions.

namespace inferd::net::grpc {

// The mapping of a call to HTTP. gRPC-Web (PROTOCOL-WEB.md) has its trailers in the body, and its text form has the
// body in base64.
enum class Wire : uint8_t { kGrpc, kWeb, kWebText };

// Returns nullopt unless it is a gRPC type whose messages are treated as bytes ("application/grpc", "+proto", and
// parameters).
std::optional<Wire> ParseContentType(std::string_view content_type);

// Parses "grpc-timeout", 1 to 8 digits and a unit, to nanoseconds. nullopt if malformed. Caps the value at ten years.
std::optional<int64_t> ParseTimeout(std::string_view text);

// Returns the coding for a response by grpc-accept-encoding: gzip, deflate or identity.
ContentCoding ChooseCoding(std::string_view accept_encoding);

// The codings that we accept: our value of grpc-accept-encoding.
inline constexpr std::string_view kAcceptedCodings = "identity,deflate,gzip";

struct CallHeaders {
  std::optional<int64_t> timeout_ns;
  ContentCoding coding = ContentCoding::kIdentity;  // of messages whose prefix says "compressed"
};

// INVALID_ARGUMENT if grpc-timeout or base64 is malformed. UNIMPLEMENTED if grpc-encoding is unknown.
base::Result<CallHeaders> ReadCallHeaders(const RequestHead& head);

}  // namespace inferd::net::grpc

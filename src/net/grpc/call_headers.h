#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "base/status.h"
#include "net/compression/content_coding.h"
#include "net/http/http.h"

// What a call's headers say to this layer (PROTOCOL-HTTP2.md, "Requests"). Pure functions.

namespace inferd::net::grpc {

// How a call is put into HTTP. gRPC-Web (PROTOCOL-WEB.md) has its trailers in the body, and its text form the body in
// base64.
enum class Wire : uint8_t { kGrpc, kWeb, kWebText };

// nullopt: no gRPC whose messages are bytes to us ("application/grpc", "+proto", and parameters).
std::optional<Wire> ParseContentType(std::string_view content_type);

// "grpc-timeout": 1 to 8 digits and a unit, in nanoseconds; nullopt: it is none. More than ten years are ten years.
std::optional<int64_t> ParseTimeout(std::string_view text);

// The coding that grpc-accept-encoding lets a response have: gzip, deflate, identity.
ContentCoding ChooseCoding(std::string_view accept_encoding);

// What we take: the value of grpc-accept-encoding.
inline constexpr std::string_view kAcceptedCodings = "identity,deflate,gzip";

struct CallHeaders {
  std::optional<int64_t> timeout_ns;
  ContentCoding coding = ContentCoding::kIdentity;  // of messages whose prefix says "compressed"
};

// INVALID_ARGUMENT: grpc-timeout or base64 that is none. UNIMPLEMENTED: an unknown grpc-encoding.
base::Result<CallHeaders> ReadCallHeaders(const RequestHead& head);

}  // namespace inferd::net::grpc

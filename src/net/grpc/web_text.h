#pragma once

#include <memory>
#include <span>

#include "base/buffer.h"
#include "net/grpc/call_sink.h"
#include "net/http/http.h"

// gRPC-Web's text form (PROTOCOL-WEB.md, "application/grpc-web-text"): the body in base64 (RFC 4648, 4). Each part that
// was sent at once may have its own padding.

namespace inferd::net::grpc {

// Encodes all pieces together as one such part.
base::BufferSlice EncodeText(std::span<const base::BufferSlice> pieces);

// Passes a request's decoded body to `call`. Malformed base64 ends the call with INTERNAL, like any malformed framing.
std::unique_ptr<RequestSink> DecodeText(std::unique_ptr<CallSink> call);

}  // namespace inferd::net::grpc

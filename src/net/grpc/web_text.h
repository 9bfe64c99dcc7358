#pragma once

#include <memory>
#include <span>

#include "base/buffer.h"
#include "net/grpc/call_sink.h"
#include "net/http/http.h"

// gRPC-Web's text form (PROTOCOL-WEB.md, "application/grpc-web-text"): the body in base64 (RFC 4648, 4), of which each
// part that was sent at once may be padded.

namespace inferd::net::grpc {

// All pieces together as one such part.
base::BufferSlice EncodeText(std::span<const base::BufferSlice> pieces);

// Hands a request's decoded body to `call`. Text that is no base64 ends the call: INTERNAL, as every bad framing.
std::unique_ptr<RequestSink> DecodeText(std::unique_ptr<CallSink> call);

}  // namespace inferd::net::grpc

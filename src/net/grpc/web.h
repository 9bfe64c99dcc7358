#pragma once

#include <optional>

#include "base/buffer.h"
#include "net/grpc/call_headers.h"
#include "net/grpc/handler.h"
#include "net/http/http.h"

// The responses of each wire. gRPC-Web (PROTOCOL-WEB.md) also has the headers that browsers require (Fetch, "CORS
// protocol").

namespace inferd::net::grpc {

// Returns the head of every response to a call.
HttpResponse MakeCallHead(Wire wire, const Options& options);

// Returns the body's last frame, which replaces trailers: flag 0x80, and fields in HTTP/1.1 form.
base::BufferSlice WebTrailersFrame(const Trailers& trailers);

// Answers an OPTIONS request that asks whether a page may make calls. nullopt if `head` is no such request, or if no
// page may.
std::optional<HttpResponse> AnswerPreflight(const RequestHead& head, const Options& options);

}  // namespace inferd::net::grpc

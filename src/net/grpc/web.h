#pragma once

#include <optional>

#include "base/buffer.h"
#include "net/grpc/call_headers.h"
#include "net/grpc/handler.h"
#include "net/http/http.h"

// How responses of each wire look; gRPC-Web (PROTOCOL-WEB.md) with what browsers ask for (Fetch, "CORS protocol").

namespace inferd::net::grpc {

// The head of every answer to a call.
HttpResponse MakeCallHead(Wire wire, const Options& options);

// The body's last frame, which stands for trailers: flag 0x80, and fields as HTTP/1.1 writes them.
base::BufferSlice WebTrailersFrame(const Trailers& trailers);

// The answer to an OPTIONS request that asks whether a page may make calls; nullopt: it is none, or none may.
std::optional<HttpResponse> AnswerPreflight(const RequestHead& head, const Options& options);

}  // namespace inferd::net::grpc

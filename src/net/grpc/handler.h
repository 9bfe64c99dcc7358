#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/executor.h"
#include "net/grpc/service.h"
#include "net/http/http.h"

namespace inferd::net::grpc {

class CallMetrics;

// Options of a handler. Immutable, shared by every loop's handler.
struct Options {
  uint64_t message_bytes_max = uint64_t{1} << 30;  // as sent, and decompressed: RESOURCE_EXHAUSTED
  uint32_t compression_ratio_max = 100;            // of a compressed message, above 64 KiB
  int response_compression_level = 0;              // zlib's, 1 to 9; responses are not compressed if 0
  size_t compress_bytes_min = 1024;                // smaller messages are sent as they are
  size_t offload_compressed_bytes = 16 * 1024;     // from this size on, (de)compression runs on the pool
  std::string web_allow_origin;                    // Access-Control-Allow-Origin of gRPC-Web; not sent if empty
};

// The environment of a handler. Everything in it outlives the handler and its calls. The loops outlive work on the
// pool.
struct Environment {
  const Options& options;
  base::Executor& pool;
  const base::Clock& clock;
  CallMetrics* metrics = nullptr;  // null to count nothing
};

// Returns a handler for gRPC (https://github.com/grpc/grpc/blob/master/doc/PROTOCOL-HTTP2.md) over HTTP/2, and for
// gRPC-Web, binary or text, over any version. One per loop, loop-bound. Requests of other content types go to
// `fallback`, or are refused with 415 if there is none. Unknown methods are UNIMPLEMENTED.
std::unique_ptr<HttpHandler> MakeHandler(const Environment& environment, std::vector<Method> methods,
                                         std::unique_ptr<HttpHandler> fallback);

}  // namespace inferd::net::grpc

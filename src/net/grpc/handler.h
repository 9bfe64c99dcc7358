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

// Immutable, shared by every loop's handler.
struct Options {
  uint64_t message_bytes_max = uint64_t{1} << 30;  // as sent, and decompressed: RESOURCE_EXHAUSTED
  uint32_t compression_ratio_max = 100;            // of a compressed message, above 64 KiB
  int response_compression_level = 0;              // zlib's, 1 to 9; 0: responses are not compressed
  size_t compress_bytes_min = 1024;                // smaller messages are sent as they are
  size_t offload_compressed_bytes = 16 * 1024;     // (de)compression from this size on is left to the pool
  std::string web_allow_origin;                    // Access-Control-Allow-Origin of gRPC-Web; empty: none is sent
};

// Everything outlives the handler and its calls; the loops outlive what the pool runs for them.
struct Environment {
  const Options& options;
  base::Executor& pool;
  const base::Clock& clock;
  CallMetrics* metrics = nullptr;  // null: nothing is counted
};

// gRPC (https://github.com/grpc/grpc/blob/master/doc/PROTOCOL-HTTP2.md) over this server's HTTP/2, and gRPC-Web, binary
// or text, over any version. One per loop, loop-bound. What is no gRPC by its content type goes to `fallback`; without
// one it is refused with 415. Unknown methods are UNIMPLEMENTED.
std::unique_ptr<HttpHandler> MakeHandler(const Environment& environment, std::vector<Method> methods,
                                         std::unique_ptr<HttpHandler> fallback);

}  // namespace inferd::net::grpc

#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "base/status.h"
#include "net/client/http_client.h"
#include "net/client/latency_histogram.h"
#include "net/client/url.h"

namespace inferd::net {

// One request sent over and over, over HTTP/1.1 without TLS.
//
// Closed loop (`rate` 0): each connection sends its next request when it has the answer to the last. Open loop:
// requests are due at fixed times, whatever the server does; one that finds every connection busy waits, and its
// latency counts from when it was due (else a stalled server would look fast).
struct LoadOptions {
  Url url;
  std::string unix_socket;
  std::string request;  // as sent: head and body (SerializeRequest)
  size_t connections = 1;
  double rate = 0;                            // requests per second, all connections together
  size_t threads = 1;                         // at most one per connection
  std::chrono::milliseconds warmup{1'000};    // sent, not counted
  std::chrono::milliseconds duration{5'000};  // counted
  int server_pid = 0;                         // measure this process's CPU time; 0: none
};

struct LoadReport {
  uint64_t answered = 0;  // with 2xx
  uint64_t refused = 0;   // with another status
  uint64_t broken = 0;    // connections that ended with a request in flight
  double seconds = 0;
  LatencyHistogram latency;  // of answered ones
  std::string first_error;   // what the first refused or broken request saw
  std::optional<int64_t> server_cpu_ns;

  double PerSecond() const { return seconds > 0 ? static_cast<double>(answered) / seconds : 0; }
};

// The bytes of `request` to `url`, kept alive.
std::string SerializeRequest(const Url& url, const ClientRequest& request);

// Blocks for warm-up and duration. UNAVAILABLE if the server cannot be reached at the start.
base::Result<LoadReport> RunLoad(const LoadOptions& options);

}  // namespace inferd::net

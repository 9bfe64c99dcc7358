#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "base/status.h"
#include "net/client/latency_histogram.h"
#include "net/client/load_protocol.h"
#include "net/client/url.h"

namespace inferd::net {

// One call over and over, without TLS.
//
// Closed loop (`rate` 0): each connection keeps `in_flight` calls under way, and makes the next when it has the answer
// to one. Open loop: calls are due at fixed times, whatever the server does; one that finds every connection busy
// waits, and its latency counts from when it was due (else a stalled server would look fast).
struct LoadOptions {
  Url url;
  std::string unix_socket;
  LoadProtocolFactory protocol;  // what is called, and how: HttpLoad, GrpcLoad
  size_t connections = 1;
  size_t in_flight = 1;                       // calls under way on each; HTTP/1.1 can have but one
  double rate = 0;                            // calls per second, all connections together
  size_t threads = 1;                         // at most one per connection
  std::chrono::milliseconds warmup{1'000};    // sent, not counted
  std::chrono::milliseconds duration{5'000};  // counted
  int server_pid = 0;                         // measure this process's CPU time; 0: none
};

struct LoadReport {
  uint64_t answered = 0;  // as they should be
  uint64_t refused = 0;   // with an error
  uint64_t broken = 0;    // under way when their connection ended
  double seconds = 0;
  LatencyHistogram latency;  // of answered ones
  std::string first_error;   // what the first refused or broken call saw
  std::optional<int64_t> server_cpu_ns;

  double PerSecond() const { return seconds > 0 ? static_cast<double>(answered) / seconds : 0; }
};

// Blocks for warm-up and duration. UNAVAILABLE if the server cannot be reached at the start.
base::Result<LoadReport> RunLoad(const LoadOptions& options);

}  // namespace inferd::net

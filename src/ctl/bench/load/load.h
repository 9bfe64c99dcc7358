#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>

#include "base/status.h"
#include "ctl/bench/load/arrivals.h"
#include "ctl/bench/load/latency_histogram.h"
#include "ctl/bench/load/load_protocol.h"
#include "net/client/url.h"

namespace inferd::ctl {

// The progress of a load.
struct LoadProgress {
  bool warming_up = false;
  double seconds = 0;      // elapsed time of the measurement
  uint64_t completed = 0;  // as LoadReport::completed
};

// The options of a load: one call, repeated without TLS.
//
// Closed loop (`rate` is 0): each connection keeps `in_flight` calls in flight, and sends the next when a response
// arrives. Calls that end within `duration` count. Open loop: calls are due on a schedule that is independent of the
// server. If every connection is busy, a call waits, and its latency includes that wait (otherwise a stalled server
// would look fast). Calls that are due within `duration` count, so that no slow response is left out.
struct LoadOptions {
  net::Url url;
  std::string unix_socket;
  LoadProtocolFactory protocol;  // the call: HttpLoad, GrpcLoad
  size_t connections = 1;
  size_t in_flight = 1;  // calls in flight per connection; must be 1 for HTTP/1.1
  double rate = 0;       // calls per second over all connections; at most kRateMax
  Arrivals::Kind arrivals = Arrivals::Kind::kConstant;
  uint64_t seed = 1;                          // for kPoisson
  size_t threads = 1;                         // at most one per connection
  std::chrono::milliseconds warmup{1'000};    // calls are sent, but not counted
  std::chrono::milliseconds duration{5'000};  // of the measurement
  std::chrono::milliseconds drain{1'000};     // open loop: additional time for responses
  int server_pid = 0;                         // measure the CPU time of this process; 0 for none
  // Ends the load early, as if its duration were over. Set by another thread or a signal handler. May be null.
  const std::atomic<bool>* stop = nullptr;
  // Called on RunLoad's thread at the start of the load, and then about once a second. May be empty.
  std::function<void(const LoadProgress&)> progress{};

  static constexpr double kRateMax = 10'000'000;
};

struct LoadReport {
  static constexpr size_t kErrorKindsMax = 16;

  // Open loop: the number of counted calls. Includes the next three, and calls without a response at the end.
  uint64_t due = 0;
  uint64_t answered = 0;   // correct responses
  uint64_t refused = 0;    // error responses
  uint64_t broken = 0;     // calls in flight when their connection ended
  uint64_t completed = 0;  // correct responses within the measurement, whenever they were due
  double seconds = 0;
  bool stopped = false;                        // LoadOptions::stop ended it early
  LatencyHistogram latency;                    // of correct responses
  std::string first_error;                     // error of the first refused or broken call
  std::map<std::string, uint64_t> refused_as;  // by the error text before ':', such as "HTTP 503"; only some kinds
  std::optional<int64_t> server_cpu_ns;

  // About the generator itself. `lag`, for open loops: the delay of calls that had a free connection.
  LatencyHistogram lag;
  double cpu_share = 0;       // CPU cores that the generator used
  double busiest_thread = 0;  // share of its time in which a thread was running or waiting for a core

  // Adds the results of the same load on the same server at another time. Rates then refer to both times together.
  void Append(const LoadReport& other);

  double PerSecond() const { return seconds > 0 ? static_cast<double>(completed) / seconds : 0; }
  // True if the generator itself may have limited the results: one of its threads hardly ever paused, or lacked a core.
  bool GeneratorWasBusy() const { return busiest_thread > 0.9; }
};

// Runs the load. Blocks for the warm-up, the duration, and the drain if responses are missing, or until it is stopped.
// INVALID_ARGUMENT if an option is out of range; UNAVAILABLE if the server cannot be reached at the start.
base::Result<LoadReport> RunLoad(const LoadOptions& options);

}  // namespace inferd::ctl

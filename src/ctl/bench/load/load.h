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

// How far a load is.
struct LoadProgress {
  bool warming_up = false;
  double seconds = 0;      // of the counted time
  uint64_t completed = 0;  // as LoadReport's
};

// One call over and over, without TLS.
//
// Closed loop (`rate` 0): each connection keeps `in_flight` calls under way, and makes the next when it has the answer
// to one; what ends in `duration` counts. Open loop: calls are due at times that the server has no part in; one that
// finds every connection busy waits, and its latency counts from when it was due (else a stalled server would look
// fast). What is due in `duration` counts, so that no slow answer is left out.
struct LoadOptions {
  net::Url url;
  std::string unix_socket;
  LoadProtocolFactory protocol;  // what is called, and how: HttpLoad, GrpcLoad
  size_t connections = 1;
  size_t in_flight = 1;  // calls under way on each; HTTP/1.1 can have but one
  double rate = 0;       // calls per second, all connections together; at most kRateMax
  Arrivals::Kind arrivals = Arrivals::Kind::kConstant;
  uint64_t seed = 1;                          // of kPoisson
  size_t threads = 1;                         // at most one per connection
  std::chrono::milliseconds warmup{1'000};    // sent, not counted
  std::chrono::milliseconds duration{5'000};  // counted
  std::chrono::milliseconds drain{1'000};     // open loop: how long answers may still come after that
  int server_pid = 0;                         // measure this process's CPU time; 0: none
  // Set by another thread or a signal handler: the load ends as if its duration were over. Null: nothing ends it.
  const std::atomic<bool>* stop = nullptr;
  // Called by RunLoad's thread as the load begins and about once a second from then on. Empty: not called.
  std::function<void(const LoadProgress&)> progress{};

  static constexpr double kRateMax = 10'000'000;
};

struct LoadReport {
  static constexpr size_t kErrorKindsMax = 16;

  uint64_t due = 0;        // open loop: what counts; the next three, and what had no answer by the end
  uint64_t answered = 0;   // as they should be
  uint64_t refused = 0;    // with an error
  uint64_t broken = 0;     // under way when their connection ended
  uint64_t completed = 0;  // answered as they should within the counted time, whenever they were due
  double seconds = 0;
  bool stopped = false;                        // by LoadOptions::stop, before its duration was over
  LatencyHistogram latency;                    // of answered ones
  std::string first_error;                     // what the first refused or broken call saw
  std::map<std::string, uint64_t> refused_as;  // by what the error's text has before ':', "HTTP 503"; some kinds only
  std::optional<int64_t> server_cpu_ns;

  // The generator itself. `lag`, open loop: how late calls were sent that had a connection free.
  LatencyHistogram lag;
  double cpu_share = 0;       // cores that it used
  double busiest_thread = 0;  // share of its time that it was running, or waiting for a core

  // Counts `other`, too: of the same load on the same server at another time. Rates are of both times together.
  void Append(const LoadReport& other);

  double PerSecond() const { return seconds > 0 ? static_cast<double>(completed) / seconds : 0; }
  // Whether the figures may be the generator's own: a thread of it had hardly a pause, or no core.
  bool GeneratorWasBusy() const { return busiest_thread > 0.9; }
};

// Blocks for warm-up, duration, and drain where answers are missing, or until it is stopped. INVALID_ARGUMENT for
// options out of range; UNAVAILABLE if the server cannot be reached at the start.
base::Result<LoadReport> RunLoad(const LoadOptions& options);

}  // namespace inferd::ctl

#pragma once

#include <chrono>
#include <cstddef>
#include <functional>

#include "base/status.h"
#include "bench/harness/model_call.h"
#include "ctl/bench/load/load.h"

namespace inferd::bench {

struct Timing {
  std::chrono::milliseconds warmup{500};
  std::chrono::milliseconds duration{3'000};
};

Timing TimingOf(double duration_s);

// Runs a closed loop of `connections` clients. UNAVAILABLE if a response is not as expected.
base::Result<ctl::LoadReport> Saturate(const LoadTarget& target, size_t connections, const Timing& timing);

// Runs an open loop of Poisson arrivals, whatever the server answers. `connections` limits the calls in flight. More
// calls wait in the generator, and this wait counts as latency.
base::Result<ctl::LoadReport> Offer(const LoadTarget& target, double per_second, size_t connections,
                                    const Timing& timing);

// Runs several loads in turns, for `rounds` rounds, because the machine's speed changes over time. Calls `take` with
// the load's number and its share of `timing`. Stops at the first error.
base::Status TakeTurns(size_t loads, int rounds, const Timing& timing,
                       const std::function<base::Status(size_t load, const Timing& part)>& take);

// Returns the mark after a rate in a table: "*" if the generator had trouble to produce the load.
const char* BusyMark(const ctl::LoadReport& report);

}  // namespace inferd::bench

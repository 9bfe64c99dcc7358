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

// A closed loop: as much as so many clients can ask for. UNAVAILABLE if a call is not answered as it should.
base::Result<ctl::LoadReport> Saturate(const LoadTarget& target, size_t connections, const Timing& timing);

// An open loop of Poisson arrivals, whatever the server makes of them. `connections` bounds the calls under way; more
// wait in the generator, and that counts as latency.
base::Result<ctl::LoadReport> Offer(const LoadTarget& target, double per_second, size_t connections,
                                    const Timing& timing);

// Several loads that are compared take turns, in as many rounds, for the machine is not always as fast. `take` is
// called with the load's number and its part of `timing`, and its first error ends it.
base::Status TakeTurns(size_t loads, int rounds, const Timing& timing,
                       const std::function<base::Status(size_t load, const Timing& part)>& take);

// What stands behind a rate in a table whose load the generator had trouble to make: "*".
const char* BusyMark(const ctl::LoadReport& report);

}  // namespace inferd::bench

#include "bench/harness/loads.h"

#include <algorithm>
#include <string>
#include <utility>

namespace inferd::bench {

namespace {

using base::Result;

constexpr std::chrono::milliseconds kWarmupMax{500};

ctl::LoadOptions Options(const LoadTarget& target, size_t connections, const Timing& timing) {
  ctl::LoadOptions load = LoadOn(target);
  load.connections = connections;
  load.warmup = timing.warmup;
  load.duration = timing.duration;
  return load;
}

}  // namespace

Timing TimingOf(double duration_s) {
  const std::chrono::milliseconds duration(static_cast<int64_t>(duration_s * 1000));
  return {.warmup = std::min(kWarmupMax, duration), .duration = duration};
}

Result<ctl::LoadReport> Saturate(const LoadTarget& target, size_t connections, const Timing& timing) {
  INFERD_ASSIGN_OR_RETURN(ctl::LoadReport report, ctl::RunLoad(Options(target, connections, timing)));
  if (report.refused + report.broken > 0 || report.answered == 0) {
    return std::unexpected(base::Unavailable(target.target.url + " failed " +
                                             std::to_string(report.refused + report.broken) +
                                             " requests: " + report.first_error));
  }
  return report;
}

Result<ctl::LoadReport> Offer(const LoadTarget& target, double per_second, size_t connections, const Timing& timing) {
  ctl::LoadOptions load = Options(target, connections, timing);
  load.rate = per_second;
  load.arrivals = ctl::Arrivals::Kind::kPoisson;
  return ctl::RunLoad(load);
}

base::Status TakeTurns(size_t loads, int rounds, const Timing& timing,
                       const std::function<base::Status(size_t load, const Timing& part)>& take) {
  const Timing part{.warmup = timing.warmup / 4, .duration = timing.duration / rounds};
  for (int round = 0; round < rounds; ++round) {
    for (size_t load = 0; load < loads; ++load) INFERD_RETURN_IF_ERROR(take(load, part));
  }
  return base::OkStatus();
}

const char* BusyMark(const ctl::LoadReport& report) { return report.GeneratorWasBusy() ? "*" : ""; }

}  // namespace inferd::bench

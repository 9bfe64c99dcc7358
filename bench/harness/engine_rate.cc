#include "bench/harness/engine_rate.h"

#include <cstdio>

#include "bench/harness/program_output.h"

namespace inferd::bench {

std::optional<EngineRate> ParseEngineRate(const std::string& line) {
  EngineRate rate;
  const int found =
      std::sscanf(line.c_str(), "rows %*s callers=%d threads=%d batch=%d rows_per_s=%lf cpu_us_per_row=%lf",
                  &rate.callers, &rate.threads, &rate.batch, &rate.rows_per_s, &rate.cpu_us_per_row);
  return found == 5 ? std::optional(rate) : std::nullopt;
}

std::vector<EngineRate> EngineRates(const std::string& command) {
  std::vector<EngineRate> rates;
  for (const std::string& line : LinesOf(command)) {
    if (const auto rate = ParseEngineRate(line)) rates.push_back(*rate);
  }
  return rates;
}

}  // namespace inferd::bench

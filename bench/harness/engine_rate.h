#pragma once

#include <optional>
#include <string>
#include <vector>

namespace inferd::bench {

// The rate that the bare library reached in one process, as the program `engine_call` prints it.
struct EngineRate {
  int callers = 0;  // threads that call
  int threads = 0;  // threads that each call uses
  int batch = 0;
  double rows_per_s = 0;
  double cpu_us_per_row = 0;
};

// Parses one line of engine_call's output. nullopt if it is not a rate.
std::optional<EngineRate> ParseEngineRate(const std::string& line);

// Runs `command`, and returns the rates that it prints. Empty if it fails.
std::vector<EngineRate> EngineRates(const std::string& command);

}  // namespace inferd::bench

#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "bench/harness/core_layout.h"
#include "bench/harness/target.h"
#include "ctl/bench/load/load.h"

namespace inferd::bench {

// The options that the benchmarks of this folder share.
struct SchedulingOptions {
  std::string programs;  // the folder of inferd, the floors and engine_call
  std::string repository = "tests/models/repository";
  std::string csv;  // the file for the raw numbers; none if empty
  double duration_s = 3;
  Wire wire = Wire::kBinary;
  CoreLayout::Options cores;
};

// Finds the programs in this program's folder.
void AddOptions(CLI::App& app, SchedulingOptions& options);

// Returns the exit status. Prints an error.
int Finish(std::string_view program, const base::Status& status);

// Returns a load as a row of raw numbers. `part` names the part of the benchmark, `way` the set-up of the server, and
// `at` the load.
std::vector<std::string> LoadColumns();
std::vector<std::string> LoadCells(const std::string& part, const std::string& way, const std::string& at,
                                   const ctl::LoadReport& report);

std::string DurationNs(uint64_t ns);
std::string PercentileText(const ctl::LoadReport& report, double percent);
// Returns the share of an open loop's requests that were refused, broken off or not answered.
double FailedShare(const ctl::LoadReport& report);

}  // namespace inferd::bench

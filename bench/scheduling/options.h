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

// What the benchmarks of this folder have in common.
struct SchedulingOptions {
  std::string programs;  // where inferd, the floors and engine_call are
  std::string repository = "tests/models/repository";
  std::string csv;  // for the raw numbers; empty: nowhere
  double duration_s = 3;
  Wire wire = Wire::kBinary;
  CoreLayout::Options cores;
};

// Finds the programs beside this one.
void AddOptions(CLI::App& app, SchedulingOptions& options);

// The exit code; an error is printed.
int Finish(std::string_view program, const base::Status& status);

// A load as a row of raw numbers: `part` of the benchmark, `way` that the server was set up, `at` which load.
std::vector<std::string> LoadColumns();
std::vector<std::string> LoadCells(const std::string& part, const std::string& way, const std::string& at,
                                   const ctl::LoadReport& report);

std::string DurationNs(uint64_t ns);
std::string PercentileText(const ctl::LoadReport& report, double percent);
// Of what was due in an open loop: refused, broken off, or without an answer.
double FailedShare(const ctl::LoadReport& report);

}  // namespace inferd::bench

#include "bench/scheduling/options.h"

#include <filesystem>
#include <iostream>
#include <map>

#include "bench/harness/display.h"
#include "bench/harness/model_call.h"
#include "ctl/text/table.h"

namespace inferd::bench {

void AddOptions(CLI::App& app, SchedulingOptions& options) {
  std::error_code error;
  options.programs = std::filesystem::read_symlink("/proc/self/exe", error).parent_path();
  app.add_option("--duration", options.duration_s, "Seconds per measurement")
      ->check(CLI::Range(0.01, 600.0))
      ->capture_default_str();
  const std::map<std::string, Wire> wires = {{"json", Wire::kJson}, {"binary", Wire::kBinary}, {"grpc", Wire::kGrpc}};
  app.add_option("--wire", options.wire, "json, binary or grpc; binary if left out")
      ->transform(CLI::CheckedTransformer(wires));
  app.add_option("--repository", options.repository, "The model repository that has mlp")->capture_default_str();
  app.add_option("--csv", options.csv, "Write the raw numbers there");
  AddCoreOptions(app, options.cores);
}

int Finish(std::string_view program, const base::Status& status) {
  if (status.ok()) return 0;
  std::cerr << "\n" << program << ": " << status.message() << "\n";
  return 1;
}

std::vector<std::string> LoadColumns() {
  return {"part",  "way",    "at",     "due",    "answered", "refused", "broken",     "seconds",
          "per_s", "p50_us", "p90_us", "p99_us", "max_us",   "cpu_us",  "lag_p99_us", "generator_busy"};
}

std::vector<std::string> LoadCells(const std::string& part, const std::string& way, const std::string& at,
                                   const ctl::LoadReport& report) {
  const auto us = [](uint64_t ns) { return Number(static_cast<double>(ns) / 1e3, "%.1f"); };
  const auto& latency = report.latency;
  return {part,
          way,
          at,
          std::to_string(report.due),
          std::to_string(report.answered),
          std::to_string(report.refused),
          std::to_string(report.broken),
          Number(report.seconds, "%.3f"),
          Number(report.PerSecond(), "%.1f"),
          us(latency.PercentileNs(50)),
          us(latency.PercentileNs(90)),
          us(latency.PercentileNs(99)),
          us(latency.max_ns()),
          Number(CpuUs(report), "%.2f"),
          us(report.lag.PercentileNs(99)),
          Number(report.busiest_thread, "%.2f")};
}

std::string DurationNs(uint64_t ns) { return ctl::DurationText(static_cast<double>(ns)); }

std::string PercentileText(const ctl::LoadReport& report, double percent) {
  return report.answered == 0 ? "-" : DurationNs(report.latency.PercentileNs(percent));
}

double FailedShare(const ctl::LoadReport& report) {
  if (report.due == 0) return 0;
  return 1 - static_cast<double>(report.answered) / static_cast<double>(report.due);
}

}  // namespace inferd::bench

// bench_batching: measures the gain of batching, and prints tables (bench/batching builds and starts it).
//
// Serves one perceptron (784-256-10) with one row per request, in servers that differ only in their batching policy.
// Prints three tables: closed loops of 1 to 64 clients; one client alone, for which batching must cost nothing; and
// throughput and latency against the offered load of an open loop.

#include <CLI/CLI.hpp>
#include <algorithm>
#include <functional>
#include <iostream>
#include <map>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "bench/harness/display.h"
#include "bench/harness/engine_rate.h"
#include "bench/harness/loads.h"
#include "bench/harness/median.h"
#include "bench/harness/results.h"
#include "bench/harness/served_model.h"
#include "bench/scheduling/options.h"
#include "ctl/text/table.h"

namespace inferd::bench {
namespace {

using base::Result;
using base::Status;

// The names of the ways to serve the model, and its configuration in each.
const std::map<std::string, std::string>& Ways() {
  static const std::map<std::string, std::string> ways = {
      {"off", "max_batch_size: 64\ninferd { batching: OFF }\n"},
      {"on", "max_batch_size: 64\ndynamic_batching { }\n"},
      {"auto", "max_batch_size: 64\ninferd { batching: AUTO }\n"},
  };
  return ways;
}

constexpr const char* kFloor = "floor";
constexpr const char* kTogether = "together";  // floor and library in one process

struct Options : SchedulingOptions {
  std::vector<std::string> ways = {"off", "on", "auto"};
  std::vector<size_t> clients = {1, 4, 16, 64};
  std::vector<double> offered = {0.1, 0.25, 0.5, 0.7, 0.8, 0.9, 1.0, 1.1};
  size_t rounds = 3;         // for the closed loops
  size_t pairs = 5;          // for the lone client
  size_t connections = 256;  // for the open loop
};

struct Way {
  std::string name;
  ServedModel model;
};

// The servers, and their floors.
struct Bench {
  std::vector<Way> ways;  // the first has the floors beside it
  std::optional<EngineRate> engine;
  Results results{LoadColumns()};

  const LoadTarget& floor() const { return ways.front().model.floor(); }
  const std::optional<LoadTarget>& together() const { return ways.front().model.library_floor(); }
  const LoadTarget* Find(const std::string& name) const {
    const auto way = std::ranges::find(ways, name, &Way::name);
    return way == ways.end() ? nullptr : &way->model.server();
  }
};

Result<Bench> Start(const Options& options) {
  Bench bench;
  // The library floor reads the inputs from the end of a body.
  const bool takes_rows = options.wire == Wire::kBinary;
  for (const std::string& way : options.ways) {
    const bool first = bench.ways.empty();
    INFERD_ASSIGN_OR_RETURN(ServedModel model, ServedModel::Start({.programs = options.programs,
                                                                   .file = options.repository + "/mlp/1/model.onnx",
                                                                   .config = Ways().at(way),
                                                                   .wire = options.wire,
                                                                   .floor = first,
                                                                   .library = first && takes_rows ? "mlp" : ""}));
    bench.ways.push_back({way, std::move(model)});
  }
  return bench;
}

// Measures the rates of the bare library in one process that does nothing else.
void MeasureEngine(const Options& options, Bench& bench) {
  ShowProgress("engine ...");
  const std::vector<EngineRate> rates = EngineRates("'" + options.programs + "/engine_call' '" + options.programs +
                                                    "/../lib/inferd/engines/onnxruntime.so' '" + options.repository +
                                                    "' mlp " + Number(options.duration_s, "%.3f") + " 2>/dev/null");
  ctl::Table table({"CALLERS", "THREADS", "BATCH", "ROWS/S", "CPU US"});
  for (const EngineRate& rate : rates) {
    table.Add({std::to_string(rate.callers), std::to_string(rate.threads), std::to_string(rate.batch),
               Number(rate.rows_per_s, "%.0f"), Number(rate.cpu_us_per_row, "%.2f")});
    if (!bench.engine || rate.rows_per_s > bench.engine->rows_per_s) bench.engine = rate;
  }
  ShowProgress("");
  if (rates.empty()) return;
  std::cout << "The bare library in a process of its own (THREADS: of each call)\n"
            << table.AlignRight({0, 1, 2, 3, 4}).ToString() << "\n";
}

// Returns the load generator's own CPU per request, in microseconds.
double GeneratorUs(const ctl::LoadReport& report) { return report.cpu_share * 1e6 / report.PerSecond(); }

// Returns the reached share of the possible rate. A row costs at least the floor's CPU, the bare library's CPU at its
// best batch size, and the generator's CPU if it shares the cores.
std::optional<double> Share(const Options& options, const Bench& bench, const ctl::LoadReport& report,
                            std::optional<double> floor_us) {
  if (!bench.engine || !floor_us || report.PerSecond() <= 0) return std::nullopt;
  const auto cores = static_cast<double>(CoreLayout::OfPrograms().size());
  const double generator_us = options.cores.apart ? 0 : GeneratorUs(report);
  return report.PerSecond() / (cores * 1e6 / (*floor_us + bench.engine->cpu_us_per_row + generator_us));
}

// Returns the run with the median throughput.
const ctl::LoadReport& Middle(std::vector<ctl::LoadReport>& runs) {
  const auto middle = runs.begin() + static_cast<std::ptrdiff_t>(runs.size() / 2);
  std::ranges::nth_element(runs, middle, std::less<>(), &ctl::LoadReport::PerSecond);
  return *middle;
}

// Runs the floor and each way in turns, several times, so that changes in the machine's speed affect all of them.
Result<std::map<std::string, std::vector<ctl::LoadReport>>> RunInTurns(const Options& options, const Bench& bench,
                                                                       size_t clients) {
  const Timing timing = TimingOf(options.duration_s);
  std::map<std::string, std::vector<ctl::LoadReport>> runs;
  for (size_t round = 0; round < options.rounds; ++round) {
    ShowProgress(std::to_string(clients) + " clients, round " + std::to_string(round + 1) + " ...");
    const auto run = [&](const std::string& name, const LoadTarget& target) -> Status {
      INFERD_ASSIGN_OR_RETURN(ctl::LoadReport report, Saturate(target, clients, timing));
      runs[name].push_back(std::move(report));
      return {};
    };
    INFERD_RETURN_IF_ERROR(run(kFloor, bench.floor()));
    if (bench.together()) INFERD_RETURN_IF_ERROR(run(kTogether, *bench.together()));
    for (const auto& [name, model] : bench.ways) INFERD_RETURN_IF_ERROR(run(name, model.server()));
  }
  return runs;
}

Status MeasureClosed(const Options& options, Bench& bench) {
  ctl::Table table({"CLIENTS", "BATCHING", "ROWS/S", "P50", "P99", "CPU US", "FLOOR", "ENGINE", "TOGETHER", "CLIENT",
                    "RATIO", "OF POSSIBLE"});
  for (const size_t clients : options.clients) {
    INFERD_ASSIGN_OR_RETURN(auto runs, RunInTurns(options, bench, clients));
    const ctl::LoadReport floor = Middle(runs[kFloor]);
    const std::optional<double> floor_us = CpuUs(floor);
    std::optional<double> together_us;
    if (bench.together()) {
      const ctl::LoadReport& together = Middle(runs[kTogether]);
      together_us = CpuUs(together);
      bench.results.Add(LoadCells("closed", kTogether, std::to_string(clients), together));
    }
    for (const Way& way : bench.ways) {
      const ctl::LoadReport& report = Middle(runs[way.name]);
      const std::optional<double> cpu_us = CpuUs(report);
      std::optional<double> engine_us, ratio;
      if (bench.engine) engine_us = bench.engine->cpu_us_per_row;
      if (cpu_us && floor_us && engine_us) ratio = *cpu_us / (*floor_us + *engine_us);
      std::optional<double> share = Share(options, bench, report, floor_us);
      if (share) *share *= 100;
      table.Add({std::to_string(clients), way.name, Number(report.PerSecond(), "%.0f") + BusyMark(report),
                 PercentileText(report, 50), PercentileText(report, 99), Number(cpu_us), Number(floor_us),
                 Number(engine_us), Number(together_us), Number(GeneratorUs(report)), Number(ratio, "%.2f"),
                 Number(share, "%.0f %%")});
      bench.results.Add(LoadCells("closed", way.name, std::to_string(clients), report));
    }
    bench.results.Add(LoadCells("closed", kFloor, std::to_string(clients), floor));
  }
  ShowProgress("");
  std::cout
      << table.AlignRight({0, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}).ToString() << "\nThe middle of " << options.rounds
      << " runs in turns. CPU US, FLOOR, ENGINE and CLIENT: microseconds of CPU per row, of the server, of the floor,\n"
         "of the bare library at its best size of batch, of the load generator. TOGETHER: of the floor with the bare\n"
         "library behind it, in one process that looks at nothing else. RATIO is CPU US / (FLOOR + ENGINE).\n"
         "OF POSSIBLE: share of the rows/s that FLOOR + ENGINE + CLIENT would reach on the cores (without CLIENT if\n"
         "that has a core of its own). *: the load generator had no pause, or no core.\n\n";
  return base::OkStatus();
}

// Runs both in turns, and takes the median of the differences, which are smaller than the changes in the machine's
// speed.
Status MeasureLone(const Options& options, Bench& bench) {
  const Timing timing = TimingOf(options.duration_s);
  const LoadTarget* without = bench.Find("off");
  const LoadTarget* with = bench.Find("on");
  if (without == nullptr || with == nullptr) return base::OkStatus();
  std::vector<double> cpu_us, p50_us, p99_us, on_us, off_us;
  for (size_t pair = 0; pair < options.pairs; ++pair) {
    ShowProgress("a lone client, " + std::to_string(pair + 1) + " ...");
    INFERD_ASSIGN_OR_RETURN(const ctl::LoadReport off, Saturate(*without, 1, timing));
    INFERD_ASSIGN_OR_RETURN(const ctl::LoadReport on, Saturate(*with, 1, timing));
    const auto difference_us = [&](double percent) {
      return (static_cast<double>(on.latency.PercentileNs(percent)) -
              static_cast<double>(off.latency.PercentileNs(percent))) /
             1e3;
    };
    off_us.push_back(CpuUs(off).value_or(0));
    on_us.push_back(CpuUs(on).value_or(0));
    cpu_us.push_back(on_us.back() - off_us.back());
    p50_us.push_back(difference_us(50));
    p99_us.push_back(difference_us(99));
    bench.results.Add(LoadCells("lone", "off", std::to_string(pair), off));
    bench.results.Add(LoadCells("lone", "on", std::to_string(pair), on));
  }
  ShowProgress("");
  if (cpu_us.empty()) return base::OkStatus();
  std::cout << "A lone client, medians of " << options.pairs << " pairs: " << Number(Median(off_us))
            << " us of CPU per request without batching, " << Number(Median(on_us)) << " us with it ("
            << Number(Median(cpu_us), "%+.1f") << " us); p50 " << Number(Median(p50_us), "%+.1f") << " us, p99 "
            << Number(Median(p99_us), "%+.1f") << " us.\n\n";
  return base::OkStatus();
}

Status MeasureOffered(const Options& options, Bench& bench) {
  if (options.offered.empty()) return base::OkStatus();
  const Timing timing = TimingOf(options.duration_s);
  ShowProgress("capacity ...");
  INFERD_ASSIGN_OR_RETURN(const ctl::LoadReport most,
                          Saturate(bench.ways[bench.ways.size() > 1 ? 1 : 0].model.server(), 64, timing));
  ctl::Table table({"OFFERED/S", "BATCHING", "ROWS/S", "REFUSED", "P50", "P99", "CPU US", "LAG P99"});
  for (const double part : options.offered) {
    const double rate = part * most.PerSecond();
    for (const auto& [name, model] : bench.ways) {
      ShowProgress("offered " + Number(rate, "%.0f") + "/s ...");
      INFERD_ASSIGN_OR_RETURN(const ctl::LoadReport report, Offer(model.server(), rate, options.connections, timing));
      table.Add({Number(rate, "%.0f") + BusyMark(report), name, Number(report.PerSecond(), "%.0f"),
                 Number(100 * FailedShare(report), "%.1f %%"), PercentileText(report, 50), PercentileText(report, 99),
                 Number(CpuUs(report)), DurationNs(report.lag.PercentileNs(99))});
      bench.results.Add(LoadCells("open", name, Number(rate, "%.1f"), report));
    }
  }
  ShowProgress("");
  std::cout
      << table.AlignRight({0, 2, 3, 4, 5, 6, 7}).ToString() << "\nPoisson arrivals on " << options.connections
      << " connections; latency counts from when a request was "
      << "due. REFUSED: or not answered in time.\nLAG: of the load generator itself. *: it had no pause, or no core.\n";
  return base::OkStatus();
}

Status Run(const Options& options) {
  INFERD_ASSIGN_OR_RETURN(Bench bench, Start(options));
  MeasureEngine(options, bench);
  INFERD_RETURN_IF_ERROR(MeasureClosed(options, bench));
  INFERD_RETURN_IF_ERROR(MeasureLone(options, bench));
  INFERD_RETURN_IF_ERROR(MeasureOffered(options, bench));
  return bench.results.Save(options.csv);
}

}  // namespace
}  // namespace inferd::bench

int main(int argc, char** argv) {
  inferd::bench::Options options;
  CLI::App app("What batching is worth: rows per second, latency and CPU, with it and without.", "bench/batching");
  AddOptions(app, options);
  app.add_option("--ways", options.ways,
                 "off, on (dynamic_batching), auto; the second one's capacity is what is offered")
      ->delimiter(',')
      ->check(CLI::IsMember({"off", "on", "auto"}))
      ->capture_default_str();
  app.add_option("--clients", options.clients, "Closed loops of so many")->delimiter(',')->capture_default_str();
  app.add_option("--offered", options.offered, "Open loops, as shares of what 64 clients get")->delimiter(',');
  app.add_option("--rounds", options.rounds, "How often each number of clients is measured; the middle counts")
      ->check(CLI::Range(1, 100))
      ->capture_default_str();
  app.add_option("--pairs", options.pairs, "How often a lone client is measured")->capture_default_str();
  app.add_option("--connections", options.connections, "Of the open loops")
      ->check(CLI::Range(1, 10'000))
      ->capture_default_str();
  CLI11_PARSE(app, argc, argv);
  const inferd::bench::CoreLayout cores(options.cores);
  return inferd::bench::Finish("bench/batching", Run(options));
}

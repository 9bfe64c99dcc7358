// bench_overload: measures a server under overload, and prints a table (bench/overload builds and starts it).
//
// Serves one perceptron (784-2048-2048-10), whose rows cost far more alone than in batches. Sends open loops of a
// quarter to three times of its capacity. Compares four ways to handle overload: no batching; a bounded queue; an
// adaptive limit; a queue that drops requests whose answer would be too late.

#include <CLI/CLI.hpp>
#include <algorithm>
#include <iostream>
#include <string>
#include <utility>
#include <vector>

#include "bench/harness/display.h"
#include "bench/harness/loads.h"
#include "bench/harness/onnx_file.h"
#include "bench/harness/results.h"
#include "bench/harness/scratch_repository.h"
#include "bench/harness/served_model.h"
#include "bench/scheduling/options.h"
#include "ctl/text/table.h"

namespace inferd::bench {
namespace {

using base::Result;
using base::Status;

struct Options : SchedulingOptions {
  std::vector<std::string> ways = {"off", "queue", "limit", "deadline"};
  std::vector<double> offered = {0.25, 0.5, 0.75, 1, 1.25, 1.5, 2, 3};
  std::vector<int64_t> widths = {784, 2048, 2048, 10};
  size_t queue = 256;
  size_t connections = 1024;
  int64_t deadline_ms = 50;
};

// Returns the model's configuration.
std::string Config(const std::string& way, const Options& options) {
  const std::string queue = "max_queue_size: " + std::to_string(options.queue);
  const auto batching = [](const std::string& policy) {
    return "max_batch_size: 64\ndynamic_batching { default_queue_policy { " + policy + " } }\n";
  };
  if (way == "queue") return batching(queue);
  if (way == "limit") {
    return batching(queue) + "inferd { concurrency { max: " + std::to_string(options.queue + 64) + " } }\n";
  }
  if (way == "deadline") {
    return batching(queue + " default_timeout_microseconds: " + std::to_string(options.deadline_ms * 1000));
  }
  return "max_batch_size: 64\ninferd { batching: OFF queue_policy { " + queue + " } }\n";
}

// Returns the number of answers per second that met the deadline.
double InTimePerSecond(const ctl::LoadReport& report, int64_t deadline_ms) {
  uint64_t in_time = 0;
  report.latency.ForEach([&](uint64_t, uint64_t high_ns, uint64_t count) {
    if (high_ns <= static_cast<uint64_t>(deadline_ms) * 1'000'000) in_time += count;
  });
  return static_cast<double>(in_time) / report.seconds;
}

std::string Refusals(const ctl::LoadReport& report) {
  std::string text;
  for (const auto& [kind, count] : report.refused_as) {
    text += (text.empty() ? "" : ", ") + std::to_string(count) + " " + kind;
  }
  return text;
}

Status MeasureWay(const Options& options, const std::string& way, const std::string& file, double& capacity,
                  ctl::Table& table, Results& results) {
  ShowProgress(way + " ...");
  INFERD_ASSIGN_OR_RETURN(
      const ServedModel model,
      ServedModel::Start(
          {.programs = options.programs, .file = file, .config = Config(way, options), .wire = options.wire}));
  const Timing timing = TimingOf(options.duration_s);
  if (capacity == 0) {
    INFERD_ASSIGN_OR_RETURN(const ctl::LoadReport most, Saturate(model.server(), 64, timing));
    capacity = most.PerSecond();
    results.Add(LoadCells("capacity", way, "64", most));
  }
  for (const double part : options.offered) {
    ShowProgress(way + ", offered " + Number(part, "%.2f") + " ...");
    INFERD_ASSIGN_OR_RETURN(const ctl::LoadReport report,
                            Offer(model.server(), part * capacity, options.connections, timing));
    table.Add({way, Number(part, "%.2f") + BusyMark(report), Number(part * capacity, "%.0f"),
               Number(report.PerSecond(), "%.0f"), Number(InTimePerSecond(report, options.deadline_ms), "%.0f"),
               Number(100 * FailedShare(report), "%.1f %%"), PercentileText(report, 50), PercentileText(report, 99),
               Number(CpuUs(report), "%.0f"), DurationNs(report.lag.PercentileNs(99)), Refusals(report)});
    results.Add(LoadCells("open", way, Number(part, "%.2f"), report));
  }
  return base::OkStatus();
}

Status Run(const Options& options) {
  INFERD_ASSIGN_OR_RETURN(const ScratchRepository scratch, ScratchRepository::Create());
  const std::string file = scratch.folder() + "/dense.onnx";
  INFERD_RETURN_IF_ERROR(WriteDenseModel(file, options.widths));
  ctl::Table table({"WAY", "LOAD", "OFFERED/S", "ANSWERED/S", "IN TIME/S", "FAILED", "P50", "P99", "CPU US", "LAG P99",
                    "REFUSED AS"});
  Results results(LoadColumns());
  // For all ways, "1.00" is the rate that 64 clients reach with a bounded queue.
  std::vector<std::string> ways = options.ways;
  double capacity = 0;
  if (std::ranges::find(ways, "queue") != ways.end()) {
    Options nothing = options;
    nothing.offered.clear();
    INFERD_RETURN_IF_ERROR(MeasureWay(nothing, "queue", file, capacity, table, results));
  }
  for (const std::string& way : ways) {
    INFERD_RETURN_IF_ERROR(MeasureWay(options, way, file, capacity, table, results));
  }
  ShowProgress("");
  std::cout << table.AlignRight({1, 2, 3, 4, 5, 6, 7, 8, 9}).ToString() << "\nLOAD: of the " << Number(capacity, "%.0f")
            << " rows/s that 64 clients get with batching; Poisson arrivals on " << options.connections
            << " connections,\nlatency from when a request was due. IN TIME: within " << options.deadline_ms
            << " ms. FAILED: refused, or not answered at all. P50, P99:\nof answered ones. LAG: of the load generator "
               "itself. *: it had no pause, or no core.\n\noff: no batching; queue: at most "
            << options.queue << " wait; limit: and inferd { concurrency }; deadline: and none longer than "
            << options.deadline_ms << " ms.\n";
  return results.Save(options.csv);
}

}  // namespace
}  // namespace inferd::bench

int main(int argc, char** argv) {
  inferd::bench::Options options;
  CLI::App app("What becomes of a server that is asked for more than it can do.", "bench/overload");
  AddOptions(app, options);
  app.add_option("--ways", options.ways, "off, queue, limit, deadline")
      ->delimiter(',')
      ->check(CLI::IsMember({"off", "queue", "limit", "deadline"}))
      ->capture_default_str();
  app.add_option("--offered", options.offered, "Open loops, as shares of what 64 clients get")
      ->delimiter(',')
      ->capture_default_str();
  app.add_option("--widths", options.widths, "Of the model's layers")->delimiter(',')->capture_default_str();
  app.add_option("--queue", options.queue, "How many requests may wait")->capture_default_str();
  app.add_option("--connections", options.connections, "Of the open loops")
      ->check(CLI::Range(1, 10'000))
      ->capture_default_str();
  app.add_option("--deadline", options.deadline_ms, "Milliseconds after which an answer is no use")
      ->check(CLI::Range(1, 60'000))
      ->capture_default_str();
  CLI11_PARSE(app, argc, argv);
  const inferd::bench::CoreLayout cores(options.cores);
  return inferd::bench::Finish("bench/overload", Run(options));
}

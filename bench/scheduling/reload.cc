// bench_reload: measures the effect of one model's load, unload and reload on another model, and prints a table
// (bench/reload builds and starts it).
//
// mlp gets an open loop at half of its capacity, in turns: once alone, once while a large model is loaded and unloaded,
// and once beside a process that computes at the priority of the server's loading thread. The third shows the cost of
// any background work on this machine. The load generator is niced, because it shares the machine with the server.

#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <atomic>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "bench/harness/display.h"
#include "bench/harness/loads.h"
#include "bench/harness/median.h"
#include "bench/harness/onnx_file.h"
#include "bench/harness/programs.h"
#include "bench/harness/results.h"
#include "bench/harness/scratch_repository.h"
#include "bench/harness/spinner.h"
#include "bench/scheduling/options.h"
#include "ctl/text/table.h"
#include "ctl/v2_server.h"

namespace inferd::bench {
namespace {

using base::Result;
using base::Status;

constexpr int kNiceness = 10;
constexpr const char* kLarge = "large";

struct Options : SchedulingOptions {
  size_t rounds = 5;
  size_t connections = 64;
  double load = 0.5;
  int64_t megabytes = 200;
};

// Loads the large model, reloads it with another configuration, unloads it, and repeats this until it is stopped. Does
// not measure times.
class Loader final {
 public:
  Loader(const std::string& url, const std::string& repository)
      : config_(repository + "/" + kLarge + "/config.pbtxt"), thread_([this, url] { status_ = Run(url); }) {}
  ~Loader() {
    if (thread_.joinable()) static_cast<void>(Stop());
  }
  Loader(const Loader&) = delete;
  Loader& operator=(const Loader&) = delete;

  // Ends the thread, with the model unloaded.
  Status Stop() {
    stop_ = true;
    thread_.join();
    return status_;
  }
  // Returns the number of loads so far. Final after Stop().
  size_t loads() const { return loads_; }

 private:
  Status Run(const std::string& url) {
    net::HttpClient::Options client;
    client.url = url;
    INFERD_ASSIGN_OR_RETURN(ctl::V2Server server, ctl::V2Server::Open(std::move(client)));
    const std::string path = "/v2/repository/models/" + std::string(kLarge);
    while (!stop_) {
      for (int round = 0; round < 2; ++round) {
        // Changes the configuration, because the server does not reload an unchanged version.
        std::ofstream(config_) << "max_batch_size: " << 8 + loads_ % 2 << "\n";
        INFERD_ASSIGN_OR_RETURN(const std::string loaded, server.Post(path + "/load", "{}"));
        ++loads_;
      }
      INFERD_ASSIGN_OR_RETURN(const std::string unloaded, server.Post(path + "/unload", "{}"));
    }
    return base::OkStatus();
  }

  const std::string config_;
  std::atomic<bool> stop_{false};
  std::atomic<size_t> loads_{0};
  Status status_;  // the result of Run, valid after the thread has ended
  std::thread thread_;
};

Result<ScratchRepository> MakeRepository(const Options& options) {
  INFERD_ASSIGN_OR_RETURN(ScratchRepository repository, ScratchRepository::Create());
  INFERD_RETURN_IF_ERROR(
      repository.Add("mlp", options.repository + "/mlp/1/model.onnx", "max_batch_size: 64\ndynamic_batching { }\n"));
  // Each layer takes 16 MB.
  const std::vector<int64_t> widths(static_cast<size_t>(options.megabytes / 16) + 2, 2048);
  const std::string file = repository.folder() + "/.large.onnx";
  INFERD_RETURN_IF_ERROR(WriteDenseModel(file, widths));
  INFERD_RETURN_IF_ERROR(repository.Add(kLarge, file, "max_batch_size: 8\n"));
  std::error_code ignored;
  std::filesystem::remove(file, ignored);
  return repository;
}

double P99Ratio(const ctl::LoadReport& report, const ctl::LoadReport& to) {
  return static_cast<double>(report.latency.PercentileNs(99)) /
         static_cast<double>(std::max<uint64_t>(to.latency.PercentileNs(99), 1));
}

enum Beside : size_t { kNothing, kComputing, kLoading };
constexpr std::array kWays = {"quiet", "computing", "loading"};  // their names in the raw numbers

struct Round {
  std::array<ctl::LoadReport, kWays.size()> reports;  // indexed by Beside
  size_t loads = 0;
};

// Changes the first way from round to round, so that a drift of the machine affects all ways.
Result<Round> MeasureRound(const LoadTarget& target, const std::string& repository, double rate, bool quiet_first,
                           const Options& options) {
  Round round;
  const Timing timing = TimingOf(options.duration_s);
  std::array order = {kNothing, kComputing, kLoading};
  if (!quiet_first) std::ranges::reverse(order);
  for (const Beside beside : order) {
    std::optional<Spinner> spinner;
    std::optional<Loader> loader;
    if (beside == kComputing) spinner.emplace(CoreLayout::OfPrograms(), 0);  // this process is niced
    if (beside == kLoading) loader.emplace(target.target.url, repository);
    INFERD_ASSIGN_OR_RETURN(round.reports[beside], Offer(target, rate, options.connections, timing));
    if (!loader.has_value()) continue;
    INFERD_RETURN_IF_ERROR(loader->Stop());
    round.loads = loader->loads();
  }
  return round;
}

Status Run(const Options& options) {
  ShowProgress("a model of " + std::to_string(options.megabytes) + " MB ...");
  INFERD_ASSIGN_OR_RETURN(const ScratchRepository repository, MakeRepository(options));
  INFERD_ASSIGN_OR_RETURN(const Programs programs, Programs::Start({.folder = options.programs,
                                                                    .repository = repository.folder(),
                                                                    .models = {"mlp"},
                                                                    .grpc = IsGrpc(options.wire),
                                                                    .server = true,
                                                                    .floors = false}));
  // After the start of the server, which would inherit the niceness.
  static_cast<void>(::nice(kNiceness));
  INFERD_ASSIGN_OR_RETURN(const PreparedCall call, Prepare({.model = "mlp", .wire = options.wire}, programs.targets()));
  INFERD_ASSIGN_OR_RETURN(const ctl::LoadReport most, Saturate(call.server, 16, TimingOf(options.duration_s)));
  const double rate = options.load * most.PerSecond();

  Results results(LoadColumns());
  ctl::Table table({"ROUND", "QUIET P50", "P99", "CPU US", "LAG P99", "COMPUTING P50", "P99", "CPU US", "LAG P99",
                    "LOADING P50", "P99", "CPU US", "LAG P99", "LOADS", "RATIO"});
  std::vector<double> ratios, computing_ratios;
  for (size_t i = 1; i <= options.rounds; ++i) {
    ShowProgress("round " + std::to_string(i) + " ...");
    INFERD_ASSIGN_OR_RETURN(const Round round,
                            MeasureRound(call.server, repository.folder(), rate, i % 2 == 1, options));
    std::vector<std::string> cells = {std::to_string(i)};
    for (const Beside beside : {kNothing, kComputing, kLoading}) {
      const ctl::LoadReport& report = round.reports[beside];
      cells.insert(cells.end(), {PercentileText(report, 50), PercentileText(report, 99) + BusyMark(report),
                                 Number(CpuUs(report)), DurationNs(report.lag.PercentileNs(99))});
      results.Add(LoadCells("round", kWays[beside], std::to_string(i), report));
    }
    ratios.push_back(P99Ratio(round.reports[kLoading], round.reports[kNothing]));
    computing_ratios.push_back(P99Ratio(round.reports[kComputing], round.reports[kNothing]));
    cells.insert(cells.end(), {std::to_string(round.loads), Number(ratios.back(), "%.2f")});
    table.Add(std::move(cells));
  }
  ShowProgress("");
  std::cout << table.AlignRight({0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14}).ToString() << "\nmlp at "
            << Number(rate, "%.0f") << " rows/s, " << Number(100 * options.load, "%.0f")
            << " % of what 16 clients get: with nothing else going on; beside a process that\n"
            << "computes, at the priority of a loading thread; and while a model of " << options.megabytes
            << " MB is loaded, loaded anew, and\nunloaded. Poisson arrivals; latency from when a request was due. "
            << "CPU US: of the whole server, per row.\nLAG: of the load generator itself. RATIO: of the p99 while "
            << "loading to the quiet one. *: the load generator had\nno pause, or no core.\n\nThe p99 while loading is "
            << Number(Median(ratios), "%.2f") << " times the quiet one, that beside a process that computes "
            << Number(Median(computing_ratios), "%.2f") << " times\n(the medians).\n";
  return results.Save(options.csv);
}

}  // namespace
}  // namespace inferd::bench

int main(int argc, char** argv) {
  inferd::bench::Options options;
  CLI::App app("What a model notices of another one's load, unload and reload.", "bench/reload");
  AddOptions(app, options);
  app.add_option("--rounds", options.rounds, "How often, quiet, computing and loading in turns")->capture_default_str();
  app.add_option("--connections", options.connections, "Of the open loops")
      ->check(CLI::Range(1, 10'000))
      ->capture_default_str();
  app.add_option("--load", options.load, "The open loops' share of what 16 clients get")
      ->check(CLI::Range(0.01, 2.0))
      ->capture_default_str();
  app.add_option("--megabytes", options.megabytes, "The large model's size")
      ->check(CLI::Range(16, 1900))
      ->capture_default_str();
  CLI11_PARSE(app, argc, argv);
  const inferd::bench::CoreLayout cores(options.cores);
  return inferd::bench::Finish("bench/reload", Run(options));
}

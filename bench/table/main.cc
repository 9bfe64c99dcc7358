// bench_table: what serving costs, as a table (bench/run builds and starts it).
//
// For each model, wire format and number of connections: requests per second, latency, and the server's CPU time per
// request, beside the floor (a server that does nothing with requests and answers of the same size) and the engine (one
// bare call of the model). The ratio is the server's CPU over the sum of these two.

#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <filesystem>
#include <iostream>
#include <string>
#include <thread>

#include "bench/table/child_process.h"
#include "bench/table/measurement.h"
#include "ctl/table.h"

namespace inferd::bench {
namespace {

using base::Result;
using base::Status;

struct Options {
  std::string programs;  // where inferd, floor and engine_call are
  std::string repository = "tests/models/repository";
  std::string http;  // another server; empty: start our own
  int pid = 0;
  double duration_s = 3;
  std::vector<std::string> models = {"simple", "mlp", "pool224"};
  std::vector<size_t> connections = {1, 4, 16};
};

std::string Number(std::optional<double> value, const char* format = "%.1f") {
  if (!value.has_value()) return "-";
  char text[32];
  std::snprintf(text, sizeof text, format, *value);
  return text;
}

// What is being measured, for who watches a terminal; "" wipes it.
void ShowProgress(const std::string& text) {
  static const bool terminal = ::isatty(STDERR_FILENO) != 0;
  if (terminal) std::cerr << "\r\x1b[K" << text << std::flush;
}

Result<ChildProcess> StartFloor(const Options& options, uint16_t port) {
  return ChildProcess::Start({options.programs + "/floor", std::to_string(port)});
}

Result<ChildProcess> StartServer(const Options& options, uint16_t port) {
  std::vector<std::string> command = {options.programs + "/inferd",
                                      "--model-repository=" + options.repository,
                                      "--model-control-mode=explicit",
                                      "--http-address=127.0.0.1",
                                      "--http-port=" + std::to_string(port),
                                      "--grpc=false",
                                      "--metrics=false"};
  for (const std::string& model : options.models) command.push_back("--load-model=" + model);
  return ChildProcess::Start(command);
}

// Until it answers on `path`.
Status WaitFor(ChildProcess& process, const std::string& url, const char* path) {
  net::HttpClient::Options client;
  client.url = url;
  INFERD_ASSIGN_OR_RETURN(ctl::V2Server server, ctl::V2Server::Open(std::move(client)));
  for (int i = 0; i < 600; ++i) {
    if (!process.Running()) return base::Unavailable("the program behind " + url + " has ended");
    const auto healthy = server.Healthy(path);
    if (healthy.has_value() && *healthy) return base::OkStatus();
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
  return base::DeadlineExceeded(url + " does not become ready");
}

void AddRow(ctl::Table& table, const Row& row, std::optional<double> engine_us) {
  const std::optional<double> cpu_us = CpuUs(row.server);
  const std::optional<double> floor_us = row.floor.has_value() ? CpuUs(*row.floor) : std::nullopt;
  std::optional<double> ratio;
  if (cpu_us && floor_us && engine_us) ratio = *cpu_us / (*floor_us + *engine_us);
  const auto& latency = row.server.latency;
  table.Add({row.what.model, row.what.wire == ctl::Wire::kJson ? "JSON" : "binary",
             std::to_string(row.what.connections), Number(row.server.PerSecond(), "%.0f"),
             ctl::DurationText(static_cast<double>(latency.PercentileNs(50))),
             ctl::DurationText(static_cast<double>(latency.PercentileNs(99))), Number(cpu_us), Number(floor_us),
             Number(engine_us), Number(ratio, "%.2f")});
}

Status MeasureAll(const Options& options, const Target& server, const Target& floor) {
  const std::string engine_call = options.programs + "/engine_call";
  std::map<std::string, double> engine_us;
  if (::access(engine_call.c_str(), X_OK) == 0) {
    ShowProgress("engine ...");
    engine_us = EngineCosts("'" + engine_call + "' '" + options.programs + "/../lib/inferd/engines/onnxruntime.so' '" +
                            options.repository + "' 2>/dev/null");
  }
  Timing timing;
  timing.duration = std::chrono::milliseconds(static_cast<int64_t>(options.duration_s * 1000));
  ctl::Table table({"MODEL", "WIRE", "CONN", "REQ/S", "P50", "P99", "CPU US", "FLOOR", "ENGINE", "RATIO"});
  for (const std::string& model : options.models) {
    for (const ctl::Wire wire : {ctl::Wire::kJson, ctl::Wire::kBinary}) {
      for (const size_t connections : options.connections) {
        const char* const wire_name = wire == ctl::Wire::kJson ? "JSON" : "binary";
        ShowProgress(model + " " + wire_name + " " + std::to_string(connections) + " ...");
        INFERD_ASSIGN_OR_RETURN(const Row row, Measure({model, wire, connections}, server, floor, timing));
        const auto engine = engine_us.find(model);
        AddRow(table, row, engine == engine_us.end() ? std::nullopt : std::optional(engine->second));
      }
    }
  }
  ShowProgress("");
  std::cout << table.AlignRight({2, 3, 4, 5, 6, 7, 8, 9}).ToString()
            << "\nCPU US, FLOOR and ENGINE: microseconds of CPU per request. RATIO: CPU US / (FLOOR + ENGINE).\n";
  return base::OkStatus();
}

Status Run(const Options& options) {
  const uint16_t floor_port = FreePort();
  const uint16_t port = FreePort();
  INFERD_ASSIGN_OR_RETURN(ChildProcess floor, StartFloor(options, floor_port));
  const Target floor_target{"http://127.0.0.1:" + std::to_string(floor_port), floor.pid()};
  INFERD_RETURN_IF_ERROR(WaitFor(floor, floor_target.url, "/"));
  if (!options.http.empty()) return MeasureAll(options, {"http://" + options.http, options.pid}, floor_target);
  INFERD_ASSIGN_OR_RETURN(ChildProcess server, StartServer(options, port));
  const Target target{"http://127.0.0.1:" + std::to_string(port), server.pid()};
  INFERD_RETURN_IF_ERROR(WaitFor(server, target.url, "/v2/health/ready"));
  return MeasureAll(options, target, floor_target);
}

}  // namespace
}  // namespace inferd::bench

int main(int argc, char** argv) {
  inferd::bench::Options options;
  std::error_code error;
  options.programs = std::filesystem::read_symlink("/proc/self/exe", error).parent_path();
  CLI::App app("What serving costs, beside a server that does nothing and a bare engine call.", "bench/run");
  app.add_option("--http", options.http, "HOST:PORT of another V2 server that has the models, in place of ours");
  app.add_option("--pid", options.pid, "Its process, on this machine, for its CPU time");
  app.add_option("--models", options.models, "Which models")->delimiter(',')->capture_default_str();
  app.add_option("--connections", options.connections, "How many connections")->delimiter(',')->capture_default_str();
  app.add_option("--duration", options.duration_s, "Seconds per measurement")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  app.add_option("--repository", options.repository, "The model repository that has them")->capture_default_str();
  CLI11_PARSE(app, argc, argv);
  const inferd::base::Status status = inferd::bench::Run(options);
  if (status.ok()) return 0;
  std::cerr << "\nbench/run: " << status.message() << "\n";
  return 1;
}

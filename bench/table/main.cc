// bench_table: measures the cost of serving, and prints a table (bench/run builds and starts it).
//
// For each model, wire format and number of connections, the table has requests per second, latency, and the server's
// CPU time per request. It also has the CPU time of the floor (a server that does nothing, with requests and answers of
// the same size) and of the engine (one bare call of the model). The ratio is the server's CPU over the sum of both.

#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <iostream>
#include <string>

#include "bench/harness/core_layout.h"
#include "bench/harness/display.h"
#include "bench/harness/programs.h"
#include "bench/table/engine_table.h"
#include "bench/table/ensemble_table.h"
#include "bench/table/idle_connections.h"
#include "bench/table/measurement.h"
#include "bench/table/pair_table.h"
#include "bench/table/sequence_table.h"
#include "bench/table/shared_memory_table.h"
#include "bench/table/stream_table.h"
#include "ctl/text/table.h"

namespace inferd::bench {
namespace {

using base::Result;
using base::Status;

// A model with tensors of 1 MB that does no work. Shows how fast bytes pass through the server.
constexpr const char* kLargeModel = "identity_fp32";
constexpr int64_t kLargeElements = 262144;
constexpr const char* kLargeShape = "INPUT0=1,262144";

// TensorFlow Serving's own example, with the three input numbers of its documentation.
constexpr const char* kPredictModel = "half_plus_two";
constexpr const char* kPredictShape = "x=3";

// A model that computes the mean of each channel of an image. Shows how fast rows of numbers are read.
constexpr const char* kImageModel = "mean224";
constexpr const char* kImageShape = "x=1,224,224,3";

struct Options;

// The table to print instead of the main one.
struct Mode {
  const char* flag;
  const char* help;
  Status (*print)(const Options& options, const Programs::Options& programs);
};

struct Options {
  std::string programs;  // the folder of inferd, the floors and engine_call
  std::string repository = "tests/models/repository";
  std::string http;  // another server; if empty, start inferd
  std::string grpc;
  int pid = 0;
  double duration_s = 3;
  std::vector<std::string> models = {"simple", "mlp", "pool224", kLargeModel};
  bool names_models = false;  // true if the user named the models
  std::vector<Wire> wires = {Wire::kJson, Wire::kBinary, Wire::kGrpc, Wire::kStream, Wire::kTrtis, Wire::kTrtisGrpc};
  bool names_wires = false;  // true if the user named the wires
  std::vector<size_t> connections = {1, 4, 16};
  size_t idle_connections = 1000;
  bool predict = false;
  const Mode* mode = nullptr;
  CoreLayout::Options cores;
};

bool IsTrtis(Wire wire) { return wire == Wire::kTrtis || wire == Wire::kTrtisGrpc; }
bool IsOfRows(Wire wire) { return wire == Wire::kPredictReals || wire == Wire::kPredictWholes || IsKserve(wire); }
std::vector<Wire> BinaryAndGrpc(const Options& options) {
  return options.names_wires ? options.wires : std::vector{Wire::kBinary, Wire::kGrpc};
}
bool UsesGrpc(const Options& options) { return std::ranges::any_of(options.wires, IsGrpc); }

void AddRow(ctl::Table& table, const Row& row, std::optional<double> engine_us) {
  const std::optional<double> cpu_us = CpuUs(row.server);
  std::optional<double> floor_us;
  std::optional<double> share;
  std::optional<double> ratio;
  std::optional<double> mb_per_s;
  if (cpu_us) mb_per_s = static_cast<double>(row.request_bytes) / *cpu_us;
  if (row.floor.has_value()) {
    floor_us = CpuUs(*row.floor);
    share = 100 * row.server.PerSecond() / row.floor->PerSecond();
  }
  if (cpu_us && floor_us && engine_us) ratio = *cpu_us / (*floor_us + *engine_us);
  const auto& latency = row.server.latency;
  table.Add({row.what.call.model, WireName(row.what.call.wire), std::to_string(row.what.connections),
             Number(row.server.PerSecond(), "%.0f"), Number(share, "%.0f %%"),
             ctl::DurationText(static_cast<double>(latency.PercentileNs(50))),
             ctl::DurationText(static_cast<double>(latency.PercentileNs(99))), Number(cpu_us), Number(floor_us),
             Number(engine_us), Number(ratio, "%.2f"), Number(mb_per_s, "%.0f")});
}

ModelCall MakeCall(const std::string& model, Wire wire) {
  ModelCall call{.model = model, .wire = wire};
  if (model == kLargeModel) call.shapes.push_back(kLargeShape);
  if (model == kPredictModel) call.shapes.push_back(kPredictShape);
  if (model == kImageModel) call.shapes.push_back(kImageShape);
  return call;
}

std::map<std::string, EngineCost> BareEngineCosts(const Options& options) {
  const std::string program = options.programs + (options.predict ? "/tensorflow_call" : "/engine_call");
  if (::access(program.c_str(), X_OK) != 0) return {};
  ShowProgress("engine ...");
  const std::string engine = options.predict ? "" : "'" + options.programs + "/../lib/inferd/engines/onnxruntime.so' ";
  return EngineCosts("'" + program + "' " + engine + "'" + options.repository + "' 2>/dev/null");
}

bool UsesKserve(const Options& options) { return std::ranges::any_of(options.wires, IsKserve); }

std::vector<ModelCall> CallsOf(const Options& options) {
  const bool versioned = UsesKserve(options);
  std::vector<ModelCall> calls;
  for (const std::string& model : options.models) {
    for (const Wire wire : options.wires) {
      if (model == kLargeModel && wire == Wire::kJson) continue;  // another model shows numbers as text
      if (model == kLargeModel && IsTrtis(wire)) continue;        // sends no shapes
      if ((model == kPredictModel && IsOfRows(wire) && !versioned) || (model == kImageModel && wire == Wire::kPredict))
        continue;
      calls.push_back(MakeCall(model, wire));
      calls.back().versioned = versioned;
    }
  }
  return calls;
}

Status MeasureAll(const Options& options, const Targets& targets) {
  const std::map<std::string, EngineCost> engine_costs = BareEngineCosts(options);
  ctl::Table table(
      {"MODEL", "WIRE", "CONN", "REQ/S", "OF FLOOR", "P50", "P99", "CPU US", "FLOOR", "ENGINE", "RATIO", "MB/S"});
  for (const ModelCall& call : CallsOf(options)) {
    for (const size_t connections : options.connections) {
      ShowProgress(call.model + " " + WireName(call.wire) + " " + std::to_string(connections) + " ...");
      INFERD_ASSIGN_OR_RETURN(const Row row, Measure({call, connections}, targets, TimingOf(options.duration_s)));
      std::optional<double> engine_us;
      if (const auto engine = engine_costs.find(call.model); engine != engine_costs.end()) {
        engine_us = connections == 1 && !options.cores.awake ? engine->second.lone_us : engine->second.in_a_loop_us;
      }
      AddRow(table, row, engine_us);
    }
  }
  ShowProgress("");
  std::cout << table.AlignRight({2, 3, 4, 5, 6, 7, 8, 9, 10, 11}).ToString()
            << "\nOF FLOOR: share of the requests per second that the floor answers. CPU US, FLOOR and ENGINE: "
               "microseconds of\nCPU per request; ENGINE of a call in a loop"
            << (options.cores.awake ? ". Cores did not sleep"
                                    : ", with one connection of a call every\n100 us, since the "
                                      "floor's core sleeps between its requests, too")
            << ". RATIO: CPU US / (FLOOR + ENGINE).\nMB/S: of requests' bodies, in each second of CPU.\n";
  return base::OkStatus();
}

// Call before any load, because the memory that a load leaves would hide these bytes.
Result<std::string> MeasureIdle(const Options& options, const Targets& targets) {
  if (options.idle_connections == 0 || !targets.grpc.has_value() || targets.grpc->pid == 0) return "";
  ShowProgress("idle connections ...");
  INFERD_ASSIGN_OR_RETURN(const ctl::GrpcCall call, MakeGrpcCall(MakeCall(options.models[0], Wire::kGrpc), targets));
  INFERD_ASSIGN_OR_RETURN(const double bytes,
                          IdleConnectionBytes(targets.grpc->url, targets.grpc->pid, call, options.idle_connections));
  return "\n" + std::to_string(options.idle_connections) + " idle gRPC connections: " + Number(bytes / 1024) +
         " KiB of memory each.\n";
}

PairCase PairsOf(const Options& options) {
  return {.calls = CallsOf(options), .connections = options.connections, .timing = TimingOf(options.duration_s)};
}

constexpr Mode kModes[] = {
    {"--isolation", "What it costs that models run in processes of their own: both ways, side by side",
     [](const Options& options, const Programs::Options& programs) {
       return PrintIsolationTable(programs, PairsOf(options));
     }},
    {"--cache", "What a hit of the response cache costs, beside an execution",
     [](const Options& options, const Programs::Options& programs) {
       return PrintCacheTable(programs, PairsOf(options));
     }},
    {"--shared-memory", "What 1 MB in and out costs in shared memory of clients, beside the first of the models",
     [](const Options& options, const Programs::Options& programs) {
       return PrintSharedMemoryTable(programs, {.small = options.models[0],
                                                .large = kLargeModel,
                                                .elements = kLargeElements,
                                                .wires = BinaryAndGrpc(options),
                                                .connections = options.connections,
                                                .timing = TimingOf(options.duration_s)});
     }},
    {"--sequences", "What a request of a sequence costs, beside dynamic batching of the same model",
     [](const Options& options, const Programs::Options& programs) {
       return PrintSequenceTable(programs,
                                 {.connections = options.connections, .timing = TimingOf(options.duration_s)});
     }},
    {"--engines", "What each engine's requests cost above its bare library",
     [](const Options& options, const Programs::Options& programs) {
       return PrintEngineTable(programs, {.models = options.names_models ? options.models : std::vector<std::string>(),
                                          .wires = BinaryAndGrpc(options),
                                          .connections = options.connections,
                                          .timing = TimingOf(options.duration_s)});
     }},
    {"--ensembles", "What a step of an ensemble costs: chains of a model beside it",
     [](const Options& options, const Programs::Options& programs) {
       return PrintEnsembleTable(programs, {.steps = {1, 2, 4, 8},
                                            .wires = BinaryAndGrpc(options),
                                            .connections = options.connections,
                                            .timing = TimingOf(options.duration_s)});
     }},
    {"--streams", "What each of a stream's responses costs: requests with 1 and with 1000 responses, side by side",
     [](const Options& options, const Programs::Options& programs) {
       return PrintStreamTable(programs, options.connections, TimingOf(options.duration_s));
     }},
};

Status Run(const Options& options) {
  const bool ours = options.http.empty();
  const Programs::Options started{
      .folder = options.programs,
      .repository = options.repository,
      .models = options.models,
      .arguments = UsesKserve(options) ? std::vector<std::string>{"--v1-predict=kserve"} : std::vector<std::string>{},
      .grpc = UsesGrpc(options),
      .server = ours};
  if (options.mode != nullptr) return options.mode->print(options, started);
  INFERD_ASSIGN_OR_RETURN(const Programs programs, Programs::Start(started));
  Targets targets = programs.targets();
  if (!ours) {
    targets.http = {"http://" + options.http, options.pid};
    if (!options.grpc.empty()) targets.grpc = Target{"http://" + options.grpc, options.pid};
  }
  INFERD_ASSIGN_OR_RETURN(const std::string idle, MeasureIdle(options, targets));
  INFERD_RETURN_IF_ERROR(MeasureAll(options, targets));
  std::cout << idle;
  return base::OkStatus();
}

// The default loads of --predict.
void PreferPredict(const CLI::App& app, Options& options) {
  if (app.count("--repository") == 0) options.repository = "tests/models/tensorflow";
  if (app.count("--models") == 0) options.models = {kPredictModel, kImageModel};
  if (app.count("--wires") == 0) {
    options.wires = {Wire::kPredict,     Wire::kPredictReals, Wire::kPredictWholes,
                     Wire::kPredictGrpc, Wire::kKserve,       Wire::kKserveEvent};
  }
  if (app.count("--idle-connections") == 0) options.idle_connections = 0;
}

}  // namespace
}  // namespace inferd::bench

int main(int argc, char** argv) {
  inferd::bench::Options options;
  std::error_code error;
  options.programs = std::filesystem::read_symlink("/proc/self/exe", error).parent_path();
  CLI::App app("What serving costs, beside a server that does nothing and a bare engine call.", "bench/run");
  CLI::Option* const http =
      app.add_option("--http", options.http, "HOST:PORT of another V2 server that has the models, in place of ours");
  app.add_option("--grpc", options.grpc, "HOST:PORT of its gRPC side");
  app.add_option("--pid", options.pid, "Its process, on this machine, for its CPU time");
  app.add_option("--models", options.models, "Which models")->delimiter(',')->capture_default_str();
  const std::map<std::string, inferd::bench::Wire> wires = {{"json", inferd::bench::Wire::kJson},
                                                            {"binary", inferd::bench::Wire::kBinary},
                                                            {"grpc", inferd::bench::Wire::kGrpc},
                                                            {"stream", inferd::bench::Wire::kStream},
                                                            {"predict", inferd::bench::Wire::kPredict},
                                                            {"predict-reals", inferd::bench::Wire::kPredictReals},
                                                            {"predict-wholes", inferd::bench::Wire::kPredictWholes},
                                                            {"predict-grpc", inferd::bench::Wire::kPredictGrpc},
                                                            {"trtis", inferd::bench::Wire::kTrtis},
                                                            {"trtis-grpc", inferd::bench::Wire::kTrtisGrpc},
                                                            {"kserve", inferd::bench::Wire::kKserve},
                                                            {"kserve-event", inferd::bench::Wire::kKserveEvent}};
  app.add_option(
         "--wires", options.wires,
         "json, binary, grpc, stream (Predict V2; all four if left out), predict, predict-reals, predict-wholes, "
         "predict-grpc (TensorFlow Serving), trtis, trtis-grpc (the TensorRT Inference Server of 2018), kserve, "
         "kserve-event (KServe V1)")
      ->delimiter(',')
      ->transform(CLI::CheckedTransformer(wires));
  app.add_flag("--predict", options.predict,
               "TensorFlow Serving's Predict of a SavedModel over REST and gRPC, beside a bare TF_SessionRun");
  CLI::App* const modes = app.add_option_group("Tables", "Other tables, one at a time, of servers of our own");
  modes->require_option(0, 1);
  for (const inferd::bench::Mode& mode : inferd::bench::kModes) {
    modes->add_flag_function(mode.flag, [&](int64_t) { options.mode = &mode; }, mode.help)->excludes(http);
  }
  app.add_option("--idle-connections", options.idle_connections, "How many gRPC connections to weigh; 0: none")
      ->capture_default_str();
  app.add_option("--connections", options.connections, "How many connections")->delimiter(',')->capture_default_str();
  app.add_option("--duration", options.duration_s, "Seconds per measurement")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  app.add_option("--repository", options.repository, "The model repository that has them")->capture_default_str();
  inferd::bench::AddCoreOptions(app, options.cores);
  CLI11_PARSE(app, argc, argv);
  options.names_models = app.count("--models") > 0;
  options.names_wires = app.count("--wires") > 0;
  if (options.predict) inferd::bench::PreferPredict(app, options);
  const inferd::bench::CoreLayout cores(options.cores);
  const inferd::base::Status status = inferd::bench::Run(options);
  if (status.ok()) return 0;
  std::cerr << "\nbench/run: " << status.message() << "\n";
  return 1;
}

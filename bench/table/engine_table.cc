#include "bench/table/engine_table.h"

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <iterator>
#include <map>
#include <optional>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "bench/harness/display.h"
#include "bench/table/measurement.h"
#include "ctl/text/table.h"

namespace inferd::bench {

namespace {

using base::Result;
using base::Status;

constexpr int kRounds = 3;

// What is asked of an engine, and what its library is asked beside it.
struct EngineCase {
  const char* engine;
  const char* repository;
  const char* model;
  const char* shape;  // "NAME=1,2"; empty: the model's own
  const char* what;   // which call of the bare program is the same
  const char* bare;   // its command line; PROGRAMS and LIBRARIES stand for the folders
  // A server with the bare library behind it, as Programs::Options has it, each argument behind a space. Empty: none.
  const char* together = "";
};

constexpr EngineCase kCases[] = {
    {"onnxruntime", "tests/models/repository", "simple", "", "simple",
     "PROGRAMS/engine_call LIBRARIES/engines/onnxruntime.so tests/models/repository simple"},
    {"openvino", "examples/openvino", "leaves_ir", "rows=1,4", "leaves_ir",
     "PROGRAMS/openvino_call examples/openvino/leaves_ir/1/model.xml leaves_ir",
     "openvino_floor examples/openvino/leaves_ir/1/model.xml"},
    {"torch", "examples/torch", "leaves_torch", "rows=1,4", "leaves_torch",
     "PROGRAMS/torch_call examples/torch/leaves_torch/1/model.pt leaves_torch 1 4",
     "torch_floor examples/torch/leaves_torch/1/model.pt 1 4"},
    {"tensorflow", "tests/models/tensorflow", "half_plus_two", "x=3,1", "half_plus_two",
     "PROGRAMS/tensorflow_call tests/models/tensorflow half_plus_two",
     "tensorflow_floor tests/models/tensorflow/half_plus_two/1/model.savedmodel StatefulPartitionedCall 3"},
    {"forest", "examples/forest", "iris", "input-0=1,4", "iris",
     "PROGRAMS/forest_call examples/forest/iris/1/model.json"},
    {"python", "examples/python", "standardize", "rows=1,20", "20",
     "LIBRARIES/python/environment/bin/python3 bench/engine_call/python_call.py examples/python/standardize/1/model.py "
     "20",
     "python_floor LIBRARIES/python/environment/bin/python3 examples/python/standardize/1/model.py 20"},
    {"python", "examples/python", "standardize", "rows=1,20000", "20000",
     "LIBRARIES/python/environment/bin/python3 bench/engine_call/python_call.py examples/python/standardize/1/model.py "
     "20000",
     "python_floor LIBRARIES/python/environment/bin/python3 examples/python/standardize/1/model.py 20000"},
};

// Of one case, wire and number of connections.
struct Load {
  Wire wire;
  size_t connections;
  LoadTarget target;
  std::optional<LoadTarget> floor;
  std::optional<LoadTarget> together;
  net::LoadReport report{};
  net::LoadReport floor_report{};
  net::LoadReport together_report{};
};

std::string Libraries(const std::string& programs) { return programs + "/../lib/inferd"; }

bool IsBuilt(const std::string& programs, const EngineCase& what) {
  std::error_code ignored;
  return std::filesystem::exists(Libraries(programs) + "/engines/" + what.engine + ".so", ignored);
}

void Replace(std::string* text, const std::string& word, const std::string& with) {
  for (size_t at = text->find(word); at != std::string::npos; at = text->find(word, at + with.size())) {
    text->replace(at, word.size(), with);
  }
}

std::vector<std::string> SplitWords(const std::string& text) {
  std::istringstream words(text);
  return {std::istream_iterator<std::string>(words), {}};
}

Result<EngineCost> MeasureBare(const std::string& programs, const EngineCase& what) {
  std::string command = what.bare;
  Replace(&command, "PROGRAMS", "'" + programs + "'");
  Replace(&command, "LIBRARIES", "'" + Libraries(programs) + "'");
  const std::map<std::string, EngineCost> costs = EngineCosts(command + " 2>/dev/null");
  const auto found = costs.find(what.what);
  if (found == costs.end())
    return std::unexpected(base::Unavailable("this does not say what a call costs: " + command));
  return found->second;
}

Result<std::vector<Load>> PrepareLoads(const EngineCase& of, const EngineTableCase& what, const Targets& targets) {
  ModelCall call{.model = of.model};
  if (*of.shape != '\0') call.shapes.push_back(of.shape);
  std::vector<Load> loads;
  for (const Wire wire : what.wires) {
    call.wire = wire;
    INFERD_ASSIGN_OR_RETURN(const PreparedCall prepared, Prepare(call, targets));
    for (const size_t connections : what.connections) {
      loads.push_back({.wire = wire,
                       .connections = connections,
                       .target = prepared.server,
                       .floor = prepared.floor,
                       .together = prepared.library_floor});
    }
  }
  return loads;
}

// To the report, what `target` does; nothing where there is none.
Status Add(const std::optional<LoadTarget>& target, size_t connections, const Timing& timing, net::LoadReport& report) {
  if (!target.has_value()) return base::OkStatus();
  INFERD_ASSIGN_OR_RETURN(const net::LoadReport one, Saturate(*target, connections, timing));
  report.Append(one);
  return base::OkStatus();
}

// The machine is not always as fast: the loads, each before its floor's, and the bare library, one after the other in
// each round.
Result<EngineCost> MeasureInTurns(const std::string& programs, const EngineCase& of, const Timing& timing,
                                  std::vector<Load>& loads) {
  std::optional<EngineCost> bare;
  INFERD_RETURN_IF_ERROR(TakeTurns(loads.size() + 1, kRounds, timing, [&](size_t turn, const Timing& part) -> Status {
    if (turn == loads.size()) {
      INFERD_ASSIGN_OR_RETURN(const EngineCost cost, MeasureBare(programs, of));
      if (!bare.has_value()) bare = EngineCost{};
      bare->in_a_loop_us += cost.in_a_loop_us / kRounds;
      bare->lone_us += cost.lone_us / kRounds;
      return base::OkStatus();
    }
    Load& load = loads[turn];
    INFERD_ASSIGN_OR_RETURN(const net::LoadReport report, Saturate(load.target, load.connections, part));
    load.report.Append(report);
    const Status floor = Add(load.floor, load.connections, part, load.floor_report);
    return floor.ok() ? Add(load.together, load.connections, part, load.together_report) : floor;
  }));
  return *bare;
}

void AddRows(ctl::Table& table, const EngineCase& of, const EngineCost& bare, const std::vector<Load>& loads) {
  for (const Load& load : loads) {
    const double bare_us = load.connections == 1 ? bare.lone_us : bare.in_a_loop_us;
    const std::optional<double> cpu_us = CpuUs(load.report);
    std::optional<double> above_us;
    if (cpu_us.has_value()) above_us = *cpu_us - bare_us;
    std::optional<double> floor_us, together_us, ratio;
    if (load.floor.has_value()) floor_us = CpuUs(load.floor_report);
    if (load.together.has_value()) together_us = CpuUs(load.together_report);
    if (above_us.has_value() && floor_us.has_value()) ratio = *above_us / (*floor_us + bare_us);
    table.Add({of.engine, of.model, of.shape, WireName(load.wire), std::to_string(load.connections),
               Number(load.report.PerSecond(), "%.0f"),
               ctl::DurationText(static_cast<double>(load.report.latency.PercentileNs(50))), Number(cpu_us),
               Number(bare_us), Number(above_us), Number(floor_us), Number(ratio, "%.2f"), Number(together_us)});
  }
}

Programs::Options OptionsOf(const Programs::Options& programs, const EngineCase& of) {
  Programs::Options options = programs;
  options.repository = of.repository;
  options.models = {of.model};
  std::string together = of.together;
  Replace(&together, "LIBRARIES", Libraries(programs.folder));
  options.library_floor = SplitWords(together);
  return options;
}

}  // namespace

Status PrintEngineTable(const Programs::Options& programs, const EngineTableCase& what) {
  ctl::Table table({"ENGINE", "MODEL", "INPUT", "WIRE", "CONN", "REQ/S", "P50", "CPU US", "BARE", "ABOVE", "FLOOR",
                    "RATIO", "TOGETHER"});
  std::string missing;
  for (const EngineCase& of : kCases) {
    if (!what.models.empty() && std::ranges::find(what.models, of.model) == what.models.end()) continue;
    if (!IsBuilt(programs.folder, of)) {
      missing += std::string(of.engine) + " is not built: tools/install_engine " + of.engine + "\n";
      continue;
    }
    ShowProgress(std::string(of.engine) + " " + of.model + " ...");
    INFERD_ASSIGN_OR_RETURN(const Programs server, Programs::Start(OptionsOf(programs, of)));
    INFERD_ASSIGN_OR_RETURN(std::vector<Load> loads, PrepareLoads(of, what, server.targets()));
    INFERD_ASSIGN_OR_RETURN(const EngineCost bare, MeasureInTurns(programs.folder, of, what.timing, loads));
    AddRows(table, of, bare, loads);
  }
  ShowProgress("");
  std::cout
      << table.AlignRight({4, 5, 6, 7, 8, 9, 10, 11, 12}).ToString() << missing
      << "\nCPU US: microseconds of CPU per request, of the server and of processes that it has for a model. BARE: "
         "of the same call of\nthe engine's library, in a program that does nothing else; with one connection of a "
         "call every 100 us, since that core\nsleeps between its calls, too. ABOVE: what is the server's own. FLOOR: "
         "of a server that answers with as many\nbytes and looks at nothing. RATIO: ABOVE / (FLOOR + BARE). TOGETHER: "
         "CPU US of a server that looks at nothing and has the bare\nlibrary run each request by itself, or hands its "
         "bytes to a Python process with the function in it. All are means, of turns.\n";
  return base::OkStatus();
}

}  // namespace inferd::bench

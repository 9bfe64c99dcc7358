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
#include "bench/harness/median.h"
#include "bench/table/measurement.h"
#include "ctl/text/table.h"

namespace inferd::bench {

namespace {

using base::Result;
using base::Status;

// Many rounds, because other machines on the same cores slow some rounds down, and slow a server with its engine more
// than its floor.
constexpr int kRounds = 7;

// A call of an engine's model through the server, and the same call of the bare library.
struct EngineCase {
  const char* engine;
  const char* repository;
  const char* model;
  const char* shape;  // "NAME=1,2"; the model's own if empty
  const char* what;   // the name of the same call in the bare program's output
  const char* bare;   // the bare program's command line; PROGRAMS and LIBRARIES stand for the folders
  // The command of the library floor (Programs::Options), with arguments separated by spaces. Empty if there is none.
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

// The load on a server, and the microseconds of CPU per request in each round.
struct Turns {
  LoadTarget target;
  ctl::LoadReport report{};
  std::vector<double> cpu_us{};
};

// The measurements of one case, wire and number of connections.
struct Load {
  Wire wire;
  size_t connections;
  Turns server;
  std::optional<Turns> floor;
  std::optional<Turns> together;
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

std::optional<Turns> TurnsOf(const std::optional<LoadTarget>& target) {
  if (!target.has_value()) return std::nullopt;
  return Turns{*target};
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
                       .server = {prepared.server},
                       .floor = TurnsOf(prepared.floor),
                       .together = TurnsOf(prepared.library_floor)});
    }
  }
  return loads;
}

Status TakeTurn(Turns& turns, size_t connections, const Timing& timing) {
  INFERD_ASSIGN_OR_RETURN(const ctl::LoadReport report, Saturate(turns.target, connections, timing));
  if (const std::optional<double> cpu_us = CpuUs(report); cpu_us.has_value()) turns.cpu_us.push_back(*cpu_us);
  turns.report.Append(report);
  return base::OkStatus();
}

// Runs the loads, each with its floors, and the bare library one after the other in each round, because the machine's
// speed changes over time. Returns the library's costs by round.
Result<std::vector<EngineCost>> MeasureInTurns(const std::string& programs, const EngineCase& of, const Timing& timing,
                                               std::vector<Load>& loads) {
  std::vector<EngineCost> bare;
  INFERD_RETURN_IF_ERROR(TakeTurns(loads.size() + 1, kRounds, timing, [&](size_t turn, const Timing& part) -> Status {
    if (turn == loads.size()) {
      INFERD_ASSIGN_OR_RETURN(const EngineCost cost, MeasureBare(programs, of));
      bare.push_back(cost);
      return base::OkStatus();
    }
    Load& load = loads[turn];
    for (Turns* turns :
         {&load.server, load.floor ? &*load.floor : nullptr, load.together ? &*load.together : nullptr}) {
      if (turns != nullptr) INFERD_RETURN_IF_ERROR(TakeTurn(*turns, load.connections, part));
    }
    return base::OkStatus();
  }));
  return bare;
}

bool IsOfAllRounds(const std::vector<double>& values) { return values.size() == kRounds; }

// Returns the median, or nullopt if a round has no value.
std::optional<double> MedianOf(const std::vector<double>& by_round) {
  if (!IsOfAllRounds(by_round)) return std::nullopt;
  return Median(by_round);
}

std::optional<double> MedianOf(const std::optional<Turns>& turns) {
  return turns.has_value() ? MedianOf(turns->cpu_us) : std::nullopt;
}

void AddRows(ctl::Table& table, const EngineCase& of, const std::vector<EngineCost>& bare,
             const std::vector<Load>& loads) {
  for (const Load& load : loads) {
    std::vector<double> bare_us, above_us, ratios;
    for (size_t round = 0; round < kRounds; ++round) {
      bare_us.push_back(load.connections == 1 ? bare[round].lone_us : bare[round].in_a_loop_us);
      if (!IsOfAllRounds(load.server.cpu_us)) continue;
      above_us.push_back(load.server.cpu_us[round] - bare_us[round]);
      if (!load.floor.has_value() || !IsOfAllRounds(load.floor->cpu_us)) continue;
      ratios.push_back(above_us[round] / (load.floor->cpu_us[round] + bare_us[round]));
    }
    const ctl::LoadReport& report = load.server.report;
    table.Add({of.engine, of.model, of.shape, WireName(load.wire), std::to_string(load.connections),
               Number(report.PerSecond(), "%.0f"),
               ctl::DurationText(static_cast<double>(report.latency.PercentileNs(50))),
               Number(MedianOf(load.server.cpu_us)), Number(MedianOf(bare_us)), Number(MedianOf(above_us)),
               Number(MedianOf(load.floor)), Number(MedianOf(ratios), "%.2f"), Number(MedianOf(load.together))});
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
    INFERD_ASSIGN_OR_RETURN(const std::vector<EngineCost> bare,
                            MeasureInTurns(programs.folder, of, what.timing, loads));
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
         "bytes to a Python process with the function in it. Each is the median of "
      << kRounds << " turns.\n";
  return base::OkStatus();
}

}  // namespace inferd::bench

#include "bench/table/ensemble_table.h"

#include <iostream>
#include <string>
#include <utility>

#include "bench/harness/display.h"
#include "bench/harness/scratch_repository.h"
#include "ctl/text/table.h"

namespace inferd::bench {

namespace {

using base::Result;
using base::Status;

constexpr int kRounds = 10;
constexpr const char* kModel = "repeats";
constexpr const char* kModelConfig = R"(backend: "fake"
input { name: "IN" data_type: TYPE_INT32 dims: [ 16 ] }
output { name: "OUT" data_type: TYPE_INT32 dims: [ 16 ] }
)";

std::string ChainName(size_t steps) { return "chain" + std::to_string(steps); }

// Returns a chain whose steps each take the output of the step before.
std::string ChainConfig(size_t steps) {
  std::string config = R"(platform: "ensemble"
input { name: "IN" data_type: TYPE_INT32 dims: [ 16 ] }
output { name: "OUT" data_type: TYPE_INT32 dims: [ 16 ] }
ensemble_scheduling {
)";
  std::string taken = "IN";
  for (size_t i = 1; i <= steps; ++i) {
    const std::string given = i == steps ? "OUT" : "between" + std::to_string(i);
    config += R"(  step { model_name: ")" + std::string(kModel) + R"(" input_map { key: "IN" value: ")" + taken +
              R"(" } output_map { key: "OUT" value: ")" + given + "\" } }\n";
    taken = given;
  }
  return config + "}\n";
}

// One of the loads that run in turns.
struct Turn {
  size_t steps = 0;  // 0 for the bare model
  LoadTarget target;
  ctl::LoadReport report{};

  double cpu_us() const { return CpuUs(report).value_or(0); }
};

// Returns the loads: the bare model, and the chains.
Result<std::vector<Turn>> Prepare(const EnsembleCase& what, Wire wire, const Targets& targets) {
  INFERD_ASSIGN_OR_RETURN(const PreparedCall bare, Prepare(ModelCall{.model = kModel, .wire = wire}, targets));
  std::vector<Turn> turns = {{.target = bare.server}};
  for (const size_t steps : what.steps) {
    INFERD_ASSIGN_OR_RETURN(const PreparedCall chain,
                            Prepare(ModelCall{.model = ChainName(steps), .wire = wire}, targets));
    turns.push_back({.steps = steps, .target = chain.server});
  }
  return turns;
}

Status Measure(std::vector<Turn>& turns, size_t connections, const Timing& timing) {
  return TakeTurns(turns.size(), kRounds, timing, [&](size_t i, const Timing& part) -> Status {
    INFERD_ASSIGN_OR_RETURN(const ctl::LoadReport report, Saturate(turns[i].target, connections, part));
    turns[i].report.Append(report);
    return base::OkStatus();
  });
}

void AddRows(ctl::Table& table, Wire wire, size_t connections, const std::vector<Turn>& turns) {
  const Turn& bare = turns[0];
  const Turn& shortest = turns[1];
  for (const Turn& turn : turns) {
    std::optional<double> more_us;
    std::optional<double> step_us;
    if (turn.steps > 0) more_us = turn.cpu_us() - bare.cpu_us();
    if (turn.steps > shortest.steps) {
      step_us = (turn.cpu_us() - shortest.cpu_us()) / static_cast<double>(turn.steps - shortest.steps);
    }
    table.Add({WireName(wire), std::to_string(connections), turn.steps == 0 ? "bare" : std::to_string(turn.steps),
               Number(turn.report.PerSecond(), "%.0f"),
               ctl::DurationText(static_cast<double>(turn.report.latency.PercentileNs(50))), Number(turn.cpu_us()),
               Number(more_us), Number(step_us, "%.2f")});
  }
}

}  // namespace

Status PrintEnsembleTable(const Programs::Options& programs, const EnsembleCase& what) {
  INFERD_ASSIGN_OR_RETURN(const ScratchRepository repository, ScratchRepository::Create());
  Programs::Options started = programs;
  started.repository = repository.folder();
  started.floors = false;
  started.models = {kModel};
  INFERD_RETURN_IF_ERROR(repository.Add(kModel, kModelConfig));
  for (const size_t steps : what.steps) {
    INFERD_RETURN_IF_ERROR(repository.Add(ChainName(steps), ChainConfig(steps)));
    started.models.push_back(ChainName(steps));
  }
  INFERD_ASSIGN_OR_RETURN(const Programs server, Programs::Start(started));
  ctl::Table table({"WIRE", "CONN", "STEPS", "REQ/S", "P50", "CPU US", "MORE", "STEP"});
  for (const Wire wire : what.wires) {
    for (const size_t connections : what.connections) {
      ShowProgress(std::string(WireName(wire)) + " " + std::to_string(connections) + " ...");
      INFERD_ASSIGN_OR_RETURN(std::vector<Turn> turns, Prepare(what, wire, server.targets()));
      INFERD_RETURN_IF_ERROR(Measure(turns, connections, what.timing));
      AddRows(table, wire, connections, turns);
    }
  }
  ShowProgress("");
  std::cout << table.AlignRight({1, 2, 3, 4, 5, 6, 7}).ToString()
            << "\nChains of a model that repeats 64 bytes, beside that model asked directly (bare). CPU US: "
               "microseconds of the server's\nCPU per request. MORE: above the bare model. STEP: what each step "
               "beyond the shortest chain adds; that has all that the\nserver does for the step, so its model's "
               "validation, queue, execution and statistics, too.\n";
  return base::OkStatus();
}

}  // namespace inferd::bench

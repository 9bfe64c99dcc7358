#include "bench/table/measurement.h"

#include <sstream>
#include <utility>

#include "bench/harness/program_output.h"

namespace inferd::bench {

using base::Result;

namespace {

// The two take turns, for the machine that they are compared on is not always as fast.
constexpr int kRounds = 5;

Result<Row> TakeTurns(const Case& what, const PreparedCall& call, const Timing& timing) {
  Row row{.what = what, .request_bytes = call.request_bytes, .server = {}, .floor = {}};
  const Timing part{.warmup = timing.warmup / 4, .duration = timing.duration / kRounds};
  for (int round = 0; round < kRounds; ++round) {
    INFERD_ASSIGN_OR_RETURN(const net::LoadReport server, Saturate(call.server, what.connections, part));
    row.server.Append(server);
    if (!call.floor.has_value()) continue;
    INFERD_ASSIGN_OR_RETURN(const net::LoadReport floor, Saturate(*call.floor, what.connections, part));
    if (!row.floor.has_value()) row.floor.emplace();
    row.floor->Append(floor);
  }
  return row;
}

}  // namespace

Result<Row> Measure(const Case& what, const Targets& targets, const Timing& timing) {
  INFERD_ASSIGN_OR_RETURN(const PreparedCall call, Prepare(what.call, targets));
  return TakeTurns(what, call, timing);
}

Result<Row> Compare(const Case& what, const Targets& server, const Targets& other, const Timing& timing) {
  INFERD_ASSIGN_OR_RETURN(PreparedCall call, Prepare(what.call, server));
  INFERD_ASSIGN_OR_RETURN(PreparedCall beside, Prepare(what.call, other));
  call.floor = std::move(beside.server);
  return TakeTurns(what, call, timing);
}

std::map<std::string, EngineCost> EngineCosts(const std::string& command) {
  std::map<std::string, EngineCost> costs;
  for (const std::string& line : LinesOf(command)) {
    std::istringstream fields(line);
    std::string model;
    EngineCost bare;
    if (fields >> model >> bare.in_a_loop_us >> bare.lone_us) costs[model] = bare;
  }
  return costs;
}

}  // namespace inferd::bench

#include "bench/table/measurement.h"

#include <sstream>
#include <utility>

#include "bench/harness/program_output.h"

namespace inferd::bench {

using base::Result;

namespace {

constexpr int kRounds = 5;

// Runs the load on the server, and on its floor if it has one, in turns.
Result<Row> InTurns(const Case& what, const PreparedCall& call, const Timing& timing) {
  Row row{.what = what, .request_bytes = call.request_bytes, .server = {}, .floor = {}};
  if (call.floor.has_value()) row.floor.emplace();
  const auto take = [&](size_t load, const Timing& part) -> base::Status {
    const bool server = load == 0;
    INFERD_ASSIGN_OR_RETURN(const ctl::LoadReport report,
                            Saturate(server ? call.server : *call.floor, what.connections, part));
    (server ? row.server : *row.floor).Append(report);
    return base::OkStatus();
  };
  INFERD_RETURN_IF_ERROR(TakeTurns(call.floor.has_value() ? 2 : 1, kRounds, timing, take));
  return row;
}

}  // namespace

Result<Row> Measure(const Case& what, const Targets& targets, const Timing& timing) {
  INFERD_ASSIGN_OR_RETURN(const PreparedCall call, Prepare(what.call, targets));
  return InTurns(what, call, timing);
}

Result<Row> Compare(const Case& what, const Targets& server, const Targets& other, const Timing& timing) {
  INFERD_ASSIGN_OR_RETURN(PreparedCall call, Prepare(what.call, server));
  INFERD_ASSIGN_OR_RETURN(PreparedCall beside, Prepare(what.call, other));
  call.floor = std::move(beside.server);
  return InTurns(what, call, timing);
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

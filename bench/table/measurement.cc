#include "bench/table/measurement.h"

#include <cstdio>
#include <memory>
#include <sstream>

namespace inferd::bench {

namespace {

// The two take turns, for the machine that they are compared on is not always as fast.
constexpr int kRounds = 5;

}  // namespace

using base::Result;

Result<Row> Measure(const Case& what, const Targets& targets, const Timing& timing) {
  INFERD_ASSIGN_OR_RETURN(const PreparedCall call, Prepare(what.call, targets));
  Row row{.what = what, .server = {}, .floor = {}};
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

std::map<std::string, EngineCost> EngineCosts(const std::string& command) {
  std::map<std::string, EngineCost> costs;
  const std::unique_ptr<FILE, int (*)(FILE*)> pipe(::popen(command.c_str(), "r"), &::pclose);
  if (pipe == nullptr) return costs;
  char line[256];
  while (std::fgets(line, sizeof line, pipe.get()) != nullptr) {
    std::istringstream fields(line);
    std::string model;
    EngineCost bare;
    if (fields >> model >> bare.in_a_loop_us >> bare.lone_us) costs[model] = bare;
  }
  return costs;
}

}  // namespace inferd::bench

#include "bench/table/measurement.h"

#include <cstdio>
#include <memory>
#include <sstream>

namespace inferd::bench {

using base::Result;

Result<Row> Measure(const Case& what, const Targets& targets, const Timing& timing) {
  INFERD_ASSIGN_OR_RETURN(const PreparedCall call, Prepare(what.call, targets));
  Row row{.what = what, .server = {}, .floor = {}};
  INFERD_ASSIGN_OR_RETURN(row.server, Saturate(call.server, what.connections, timing));
  if (!call.floor.has_value()) return row;
  INFERD_ASSIGN_OR_RETURN(row.floor, Saturate(*call.floor, what.connections, timing));
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
    double engine_us = 0, two_threads_us = 0;
    EngineCost bare;
    if (fields >> model >> engine_us >> two_threads_us >> bare.in_a_loop_us >> bare.lone_us) costs[model] = bare;
  }
  return costs;
}

}  // namespace inferd::bench

#pragma once

#include <map>
#include <optional>
#include <string>

#include "base/status.h"
#include "bench/harness/loads.h"
#include "bench/harness/model_call.h"
#include "bench/harness/target.h"
#include "ctl/bench/load/load.h"

namespace inferd::bench {

struct Case {
  ModelCall call;
  size_t connections = 1;
};

struct Row {
  Case what;
  size_t request_bytes = 0;
  ctl::LoadReport server;
  std::optional<ctl::LoadReport> floor;  // the floor, or the other server
};

// Sends `what` to the server, and requests and answers of the same size to its floor.
base::Result<Row> Measure(const Case& what, const Targets& targets, const Timing& timing);

// Sends the same call to two servers in turns, as to a server and its floor.
base::Result<Row> Compare(const Case& what, const Targets& server, const Targets& other, const Timing& timing);

// The CPU microseconds of one bare engine call.
struct EngineCost {
  double in_a_loop_us = 0;
  double lone_us = 0;  // with one call every 100 us; the core sleeps between calls, as with one client
};

// Runs `engine_call` or `tensorflow_call`, and returns the costs that it prints, by model. Empty if it fails.
std::map<std::string, EngineCost> EngineCosts(const std::string& command);

}  // namespace inferd::bench

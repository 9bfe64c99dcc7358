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
  std::optional<ctl::LoadReport> floor;  // of what it is compared with
};

// Sends `what` to the server, and requests of the same size with answers of the same size to its floor.
base::Result<Row> Measure(const Case& what, const Targets& targets, const Timing& timing);

// The same call of two servers, which take turns as a server and its floor do.
base::Result<Row> Compare(const Case& what, const Targets& server, const Targets& other, const Timing& timing);

// CPU microseconds of one bare engine call.
struct EngineCost {
  double in_a_loop_us = 0;
  double lone_us = 0;  // one every 100 us: the core sleeps in between, as it does with one client
};

// By model: what the programs `engine_call` and `tensorflow_call` print. Empty if it fails.
std::map<std::string, EngineCost> EngineCosts(const std::string& command);

}  // namespace inferd::bench

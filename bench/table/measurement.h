#pragma once

#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/status.h"
#include "ctl/infer_codec.h"
#include "ctl/v2_server.h"
#include "net/client/load.h"

namespace inferd::bench {

// A server to send load to, and the process whose CPU time it costs; 0: unknown.
struct Target {
  std::string url;
  int pid = 0;
};

struct Case {
  std::string model;
  ctl::Wire wire = ctl::Wire::kJson;
  size_t connections = 1;
};

struct Timing {
  std::chrono::milliseconds warmup{500};
  std::chrono::milliseconds duration{3'000};
};

struct Row {
  Case what;
  net::LoadReport server;
  std::optional<net::LoadReport> floor;  // the same request and answer sizes, from a server that does nothing
};

// Sends `what` to `server`, and requests of the same size with answers of the same size to `floor`, if there is one.
base::Result<Row> Measure(const Case& what, const Target& server, const std::optional<Target>& floor,
                          const Timing& timing);

// CPU microseconds of one bare engine call, by model: what the program `engine_call` prints. Empty if it fails.
std::map<std::string, double> EngineCosts(const std::string& command);

// CPU microseconds per answered request; nullopt if it was not measured.
std::optional<double> CpuUs(const net::LoadReport& report);

}  // namespace inferd::bench

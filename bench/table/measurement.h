#pragma once

#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/status.h"
#include "ctl/infer_codec.h"
#include "ctl/v2_server.h"
#include "net/client/grpc_load.h"
#include "net/client/load.h"

namespace inferd::bench {

// How requests travel: HTTP with JSON or binary tensors; gRPC with raw contents, unary or on one long stream.
enum class Wire { kJson, kBinary, kGrpc, kStream };

const char* WireName(Wire wire);
inline bool IsGrpc(Wire wire) { return wire == Wire::kGrpc || wire == Wire::kStream; }

// A server to send load to, and the process whose CPU time it costs; 0: unknown.
struct Target {
  std::string url;
  int pid = 0;
};

// What is measured, and the servers that do nothing beside it. Empty: there is none.
struct Targets {
  Target http;
  std::optional<Target> grpc;
  std::optional<Target> http_floor;
  std::optional<Target> grpc_floor;
};

struct Case {
  std::string model;
  std::vector<std::string> shapes{};  // "NAME=1,2", for what the model leaves open
  Wire wire = Wire::kJson;
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

// Sends `what` to the server, and requests of the same size with answers of the same size to its floor.
base::Result<Row> Measure(const Case& what, const Targets& targets, const Timing& timing);

// The unary call of `what`, after it was made once.
base::Result<net::GrpcCall> MakeGrpcCall(const Case& what, const Targets& targets);

// CPU microseconds of one bare engine call, by model: what the program `engine_call` prints. Empty if it fails.
std::map<std::string, double> EngineCosts(const std::string& command);

// CPU microseconds per answered request; nullopt if it was not measured.
std::optional<double> CpuUs(const net::LoadReport& report);

}  // namespace inferd::bench

#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/status.h"
#include "bench/harness/target.h"
#include "ctl/bench/load/grpc_load.h"
#include "ctl/bench/load/load.h"

namespace inferd::bench {

// A call of a model with random inputs.
struct ModelCall {
  std::string model;
  std::vector<std::string> shapes{};  // "NAME=1,2", for inputs whose shape the model does not fix
  Wire wire = Wire::kBinary;
  bool versioned = false;  // TensorFlow Serving's REST names version 1, because paths without a version are KServe's
};

// A server with the protocol of a load.
struct LoadTarget {
  Target target;
  net::Url url;
  ctl::LoadProtocolFactory protocol;
};
struct PreparedCall {
  LoadTarget server;
  size_t request_bytes = 0;                 // the size of its body or message
  std::optional<LoadTarget> floor;          // requests and answers of the same sizes, from a server that does nothing
  std::optional<LoadTarget> library_floor;  // the same, from a server that runs the bare library
};

// Makes the call once, so that a call that the server refuses is an error instead of a benchmark.
base::Result<PreparedCall> Prepare(const ModelCall& call, const Targets& targets);

// Makes the unary gRPC call once, and returns it.
base::Result<ctl::GrpcCall> MakeGrpcCall(const ModelCall& call, const Targets& targets);

// Returns options for a load on `target`. The caller fills in the others.
ctl::LoadOptions LoadOn(const LoadTarget& target);

// Returns the server's CPU microseconds per answered request, or nullopt if CPU was not measured.
std::optional<double> CpuUs(const ctl::LoadReport& report);

}  // namespace inferd::bench

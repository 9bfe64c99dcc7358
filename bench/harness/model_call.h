#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/status.h"
#include "bench/harness/target.h"
#include "ctl/bench/load/grpc_load.h"
#include "ctl/bench/load/load.h"

namespace inferd::bench {

// A model with random inputs, and how it is called.
struct ModelCall {
  std::string model;
  std::vector<std::string> shapes{};  // "NAME=1,2", for what the model leaves open
  Wire wire = Wire::kBinary;
  bool versioned = false;  // TensorFlow Serving's REST asks for version 1: paths without one are KServe's
};

// What a load over it needs.
struct LoadTarget {
  Target target;
  net::Url url;
  ctl::LoadProtocolFactory protocol;
};
struct PreparedCall {
  LoadTarget server;
  size_t request_bytes = 0;                 // of its body, or its message
  std::optional<LoadTarget> floor;          // requests and answers of the same sizes, from a server that does nothing
  std::optional<LoadTarget> library_floor;  // and from one that has the bare library run them
};

// Makes the call once, so that one which the server does not like is an error and no benchmark.
base::Result<PreparedCall> Prepare(const ModelCall& call, const Targets& targets);

// The unary gRPC call, after it was made once.
base::Result<ctl::GrpcCall> MakeGrpcCall(const ModelCall& call, const Targets& targets);

// A load on `target`; the rest of it is the caller's to fill in.
ctl::LoadOptions LoadOn(const LoadTarget& target);

// CPU microseconds of the server per answered request; nullopt if it was not measured.
std::optional<double> CpuUs(const ctl::LoadReport& report);

}  // namespace inferd::bench

#pragma once

#include <cstddef>
#include <string>

#include "base/status.h"
#include "ctl/bench/load/grpc_load.h"

namespace inferd::bench {

// Returns the resident bytes that a server (process `pid` on this machine) uses for each idle gRPC connection. Opens
// `connections` of them and makes `call` once on each. The server gets some seconds to notice that they are idle.
base::Result<double> IdleConnectionBytes(const std::string& url, int pid, const ctl::GrpcCall& call,
                                         size_t connections);

}  // namespace inferd::bench

#pragma once

#include <cstddef>
#include <string>

#include "base/status.h"
#include "ctl/bench/load/grpc_load.h"

namespace inferd::bench {

// Resident bytes that a server, process `pid` on this machine, spends on each of `connections` gRPC connections that
// have made `call` once and are idle since. The server gets some seconds to notice that they are.
base::Result<double> IdleConnectionBytes(const std::string& url, int pid, const ctl::GrpcCall& call,
                                         size_t connections);

}  // namespace inferd::bench

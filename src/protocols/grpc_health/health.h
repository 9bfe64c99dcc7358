#pragma once

#include <vector>

#include "net/grpc/service.h"
#include "protocols/grpc_health/state.h"

namespace inferd::grpc_health {

// Returns the methods Check and Watch of grpc.health.v1.Health
// (https://github.com/grpc/grpc/blob/master/doc/health-checking.md). A model's name counts as a service, too. One set
// per loop, loop-bound.
std::vector<net::grpc::Method> Methods(Environment environment);

}  // namespace inferd::grpc_health

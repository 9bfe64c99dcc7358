#pragma once

#include <vector>

#include "net/grpc/service.h"
#include "protocols/grpc_health/state.h"

namespace inferd::grpc_health {

// grpc.health.v1.Health (https://github.com/grpc/grpc/blob/master/doc/health-checking.md): Check and Watch. A model's
// name is a service, too. One set per loop, loop-bound.
std::vector<net::grpc::Method> Methods(Environment environment);

}  // namespace inferd::grpc_health

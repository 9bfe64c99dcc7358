#pragma once

#include <string>
#include <vector>

#include "access/policy.h"
#include "frontends/grpc_health/state.h"
#include "frontends/oip_grpc/service.h"
#include "frontends/tfs_grpc/service.h"
#include "net/grpc/service.h"

namespace inferd::server {

// The methods of every gRPC service that one loop serves: inference by each protocol, health and reflection, each
// admitted as the policy of its group says. `policy` outlives them. `health.services` is filled in here.
std::vector<net::grpc::Method> GrpcMethods(oip_grpc::Environment oip, tfs_grpc::Environment tfs,
                                           grpc_health::Environment health, const access::Policy& policy);

// "package.Service" of each method's path, every one once, in order.
std::vector<std::string> ServiceNames(const std::vector<net::grpc::Method>& methods);

}  // namespace inferd::server

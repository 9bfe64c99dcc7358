#pragma once

#include <string>
#include <vector>

#include "net/grpc/service.h"
#include "protocols/front_end.h"

namespace inferd::server {

// Returns the methods of all gRPC services for one loop. Each is restricted by the group's rule in `services.access`.
std::vector<net::grpc::Method> GrpcMethods(const protocol::FrontEnds& front_ends, const protocol::Services& services);

// Returns the services, "package.Service", of the methods' paths. Unique, in order.
std::vector<std::string> ServiceNames(const std::vector<net::grpc::Method>& methods);

}  // namespace inferd::server

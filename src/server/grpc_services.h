#pragma once

#include <string>
#include <vector>

#include "net/grpc/service.h"
#include "protocols/front_end.h"

namespace inferd::server {

// The methods of every gRPC service that one loop serves, each admitted as `services.access` says of its group.
std::vector<net::grpc::Method> GrpcMethods(const protocol::FrontEnds& front_ends, const protocol::Services& services);

// "package.Service" of each method's path, every one once, in order.
std::vector<std::string> ServiceNames(const std::vector<net::grpc::Method>& methods);

}  // namespace inferd::server

#pragma once

#include <string>
#include <vector>

#include "net/grpc/service.h"

namespace inferd::grpc_reflection {

// grpc.reflection.v1.ServerReflection and v1alpha's (https://github.com/grpc/grpc/blob/master/doc/server-reflection.md),
// which differ in their package alone, about `services` (full names) and themselves. One set per loop, loop-bound.
std::vector<net::grpc::Method> Methods(std::vector<std::string> services);

}  // namespace inferd::grpc_reflection

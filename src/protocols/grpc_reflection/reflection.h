#pragma once

#include <string>
#include <vector>

#include "net/grpc/service.h"

namespace inferd::grpc_reflection {

// Returns the methods of grpc.reflection.v1.ServerReflection and v1alpha's, which differ in their package only
// (https://github.com/grpc/grpc/blob/master/doc/server-reflection.md). They describe `services` (full names) and
// themselves. One set per loop, loop-bound.
std::vector<net::grpc::Method> Methods(std::vector<std::string> services);

}  // namespace inferd::grpc_reflection

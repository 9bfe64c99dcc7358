#pragma once

#include <memory>

#include "protocols/front_end.h"

namespace inferd::grpc_reflection {

// grpc.reflection's ServerReflection, about the services of the front-ends before it in the list, and itself.
std::unique_ptr<const protocol::FrontEnd> MakeFrontEnd(const protocol::Settings& settings);

}  // namespace inferd::grpc_reflection

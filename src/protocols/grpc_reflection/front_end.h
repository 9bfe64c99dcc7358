#pragma once

#include <memory>

#include "protocols/front_end.h"

namespace inferd::grpc_reflection {

// Returns grpc.reflection's ServerReflection for the services of the earlier front-ends in the list, and for itself.
std::unique_ptr<const protocol::FrontEnd> MakeFrontEnd(const protocol::Settings& settings);

}  // namespace inferd::grpc_reflection

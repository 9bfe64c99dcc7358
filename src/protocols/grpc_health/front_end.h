#pragma once

#include <memory>

#include "protocols/front_end.h"

namespace inferd::grpc_health {

// Returns grpc.health.v1.Health. It answers for the services of the earlier front-ends in the list, and for itself.
std::unique_ptr<const protocol::FrontEnd> MakeFrontEnd(const protocol::Settings& settings);

}  // namespace inferd::grpc_health

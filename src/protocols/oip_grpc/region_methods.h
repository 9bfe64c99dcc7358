#pragma once

#include <memory>
#include <vector>

#include "protocols/oip_grpc/service.h"

namespace inferd::oip_grpc {

// Adds the methods of Triton's shared memory extensions. They answer on the loop, with UNIMPLEMENTED if clients'
// regions are not supported. Regions on devices cannot be registered, and there are none.
void AddRegionMethods(const std::shared_ptr<const Environment>& environment, std::vector<net::grpc::Method>& methods);

}  // namespace inferd::oip_grpc

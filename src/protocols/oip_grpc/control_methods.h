#pragma once

#include <memory>
#include <vector>

#include "protocols/oip_grpc/service.h"

namespace inferd::oip_grpc {

// Adds every method except those of inference: health, metadata, configuration, statistics, repository, log settings,
// and unimplemented ones. All answer on the loop, except load calls, whose files are read on the pool.
void AddControlMethods(const std::shared_ptr<const Environment>& environment, std::vector<net::grpc::Method>& methods);

}  // namespace inferd::oip_grpc

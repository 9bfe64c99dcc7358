#pragma once

#include <memory>
#include <vector>

#include "protocols/tfs_grpc/service.h"

namespace inferd::tfs_grpc {

// Adds every method except those of inference: metadata, status and reload.
void AddModelMethods(const std::shared_ptr<const Environment>& environment, std::vector<net::grpc::Method>& methods);

}  // namespace inferd::tfs_grpc

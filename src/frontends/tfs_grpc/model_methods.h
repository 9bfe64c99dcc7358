#pragma once

#include <memory>
#include <vector>

#include "frontends/tfs_grpc/service.h"

namespace inferd::tfs_grpc {

// Adds every method but those of inference: metadata, status, reload, and what is UNIMPLEMENTED.
void AddModelMethods(const std::shared_ptr<const Environment>& environment, std::vector<net::grpc::Method>& methods);

}  // namespace inferd::tfs_grpc

#pragma once

#include <span>

#include "config/personality.h"

namespace inferd::config {

// Returns every flag of tritonserver whose spelling or meaning differs from ours.
std::span<const PersonalityFlag> TritonserverFlags();

// Reads the flags that are interpreted together: TLS of gRPC, settings of backends, and metrics that listen where HTTP
// does. INVALID_ARGUMENT if TLS lacks its files.
base::Result<CombinedFlags> CombineTritonserverFlags(const GivenFlags& given);

}  // namespace inferd::config

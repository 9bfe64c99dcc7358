#pragma once

#include <span>

#include "config/personality.h"

namespace inferd::config {

// Every flag of tritonserver that is spelt or means something else than ours.
std::span<const PersonalityFlag> TritonserverFlags();

// Those that mean something together: TLS of gRPC, settings of backends, and metrics that listen where HTTP does.
// INVALID_ARGUMENT: TLS without its files.
base::Result<CombinedFlags> CombineTritonserverFlags(const GivenFlags& given);

}  // namespace inferd::config

#pragma once

#include <span>
#include <string>
#include <string_view>

#include "base/status.h"
#include "clientshm/region.h"

// The bodies of Triton's system shared memory extension. Pure.

namespace inferd::oip_http {

// {"key": "/name", "offset": 0, "byte_size": N}, of the region `name`; the offset may be missing. INVALID_ARGUMENT
// naming the member; members that are unknown are skipped.
base::Result<clientshm::RegionSpec> ReadRegion(std::string_view body, std::string_view name);

// [{"name": .., "key": .., "offset": .., "byte_size": ..}, ...]
std::string RegionsJson(std::span<const clientshm::RegionSpec> regions);

}  // namespace inferd::oip_http

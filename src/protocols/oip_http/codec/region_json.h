#pragma once

#include <span>
#include <string>
#include <string_view>

#include "base/status.h"
#include "protocols/clientshm/device_region.h"
#include "protocols/clientshm/region.h"

// The bodies of Triton's shared memory extensions. Pure.

namespace inferd::oip_http {

// Reads {"key": "/name", "offset": 0, "byte_size": N} for the region `name`; the offset is optional. INVALID_ARGUMENT
// names the member; unknown members are skipped.
base::Result<clientshm::RegionSpec> ReadRegion(std::string_view body, std::string_view name);

// Writes [{"name": .., "key": .., "offset": .., "byte_size": ..}, ...].
std::string RegionsJson(std::span<const clientshm::RegionSpec> regions);

// Reads {"raw_handle": {"b64": ".."}, "device_id": 0, "byte_size": N} for the region `name` on a device.
base::Result<clientshm::DeviceRegionSpec> ReadDeviceRegion(std::string_view body, std::string_view name);

// Writes [{"name": .., "device_id": .., "byte_size": ..}, ...].
std::string DeviceRegionsJson(std::span<const clientshm::DeviceRegionSpec> regions);

}  // namespace inferd::oip_http

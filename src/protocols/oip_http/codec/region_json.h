#pragma once

#include <span>
#include <string>
#include <string_view>

#include "base/status.h"
#include "protocols/clientshm/device_region.h"
#include "protocols/clientshm/region.h"

// The bodies of Triton's shared memory extensions. Pure.

namespace inferd::oip_http {

// {"key": "/name", "offset": 0, "byte_size": N}, of the region `name`; the offset may be missing. INVALID_ARGUMENT
// naming the member; members that are unknown are skipped.
base::Result<clientshm::RegionSpec> ReadRegion(std::string_view body, std::string_view name);

// [{"name": .., "key": .., "offset": .., "byte_size": ..}, ...]
std::string RegionsJson(std::span<const clientshm::RegionSpec> regions);

// {"raw_handle": {"b64": ".."}, "device_id": 0, "byte_size": N}, of the region `name` on a device.
base::Result<clientshm::DeviceRegionSpec> ReadDeviceRegion(std::string_view body, std::string_view name);

// [{"name": .., "device_id": .., "byte_size": ..}, ...]
std::string DeviceRegionsJson(std::span<const clientshm::DeviceRegionSpec> regions);

}  // namespace inferd::oip_http

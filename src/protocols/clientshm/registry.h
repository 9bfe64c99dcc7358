#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/mutex.h"
#include "base/status.h"
#include "protocols/clientshm/device_region.h"
#include "protocols/clientshm/region.h"
#include "protocols/clientshm/region_table.h"

namespace inferd::clientshm {

// The limits on clients' regions.
struct Limits {
  std::string key_prefix = {};  // of objects' keys; empty for any
  bool own_only = true;         // refuse objects of other users
  size_t regions_max = 256;
  uint64_t region_bytes_max = uint64_t{1} << 30;
  uint64_t bytes_max = uint64_t{1} << 30;  // of all regions together, including those on devices
};

// The regions that clients have registered, by name: shared memory, and memory on devices. A name is unique across
// both. Regions may overlap, and share an object. Thread-safe; RegionUses may outlive it. It never calls the system or
// a device's library under its lock, so that a slow call delays no user of another region.
class Registry final {
 public:
  explicit Registry(Limits limits) : limits_(std::move(limits)) {}

  // ALREADY_EXISTS if there is a region of that name. INVALID_ARGUMENT for an invalid name or key, or errors of
  // Region::Open(). PERMISSION_DENIED if the key is not allowed. RESOURCE_EXHAUSTED if a limit is reached.
  base::Status Register(const RegionSpec& spec);
  // An unknown name is no error, as in Triton. FAILED_PRECONDITION if a request uses the region.
  base::Status Unregister(std::string_view name);
  // Unregisters all regions that no request uses. The error names the others.
  base::Status UnregisterAll();
  // NOT_FOUND if there is none.
  base::Result<RegionSpec> Find(std::string_view name) const;
  // Returns all regions, sorted by name.
  std::vector<RegionSpec> All() const;

  // Do the same for memory on devices. Errors also include those of DeviceRegion::Open().
  base::Status RegisterDevice(const DeviceRegionSpec& spec);
  base::Status UnregisterDevice(std::string_view name);
  base::Status UnregisterAllDevices();
  base::Result<DeviceRegionSpec> FindDevice(std::string_view name) const;
  std::vector<DeviceRegionSpec> AllDevices() const;

  // Begins a use of a region of either kind. NOT_FOUND if there is none.
  base::Result<std::shared_ptr<RegionUse>> Use(std::string_view name);

 private:
  base::Status CheckName(std::string_view name) const;
  base::Status CheckSize(std::string_view name, uint64_t byte_size) const;
  base::Status CheckKey(const RegionSpec& spec) const;
  // Checks that the region could be registered.
  base::Status Check(const RegionSpec& spec) const;
  base::Status Check(const DeviceRegionSpec& spec) const;
  // Checks that the limits leave room for the region.
  base::Status CheckPlace(std::string_view name, uint64_t byte_size) const REQUIRES(mutex_);
  base::Status CheckNew(std::string_view name) const REQUIRES(mutex_);
  base::Status CheckRoom(uint64_t byte_size) const REQUIRES(mutex_);

  using Objects = RegionTable<Region, RegionSpec>;
  using Devices = RegionTable<DeviceRegion, DeviceRegionSpec>;

  const Limits limits_;
  mutable base::Mutex mutex_;
  Objects objects_ GUARDED_BY(mutex_);
  Devices devices_ GUARDED_BY(mutex_);
};

}  // namespace inferd::clientshm

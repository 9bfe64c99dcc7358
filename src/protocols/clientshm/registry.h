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

// What clients may register.
struct Limits {
  std::string key_prefix = {};  // of objects' keys; empty: any
  bool own_only = true;         // no objects of other users
  size_t regions_max = 256;
  uint64_t region_bytes_max = uint64_t{1} << 30;
  uint64_t bytes_max = uint64_t{1} << 30;  // of all regions together, those on devices too
};

// The regions that clients have registered, by name: of shared memory, and of memory on devices; a name is of one of
// both. Regions may overlap, and share an object. Thread-safe; RegionUses may outlive it. No call into the system or a
// device's library is made under its lock: a slow one delays nobody who uses another region.
class Registry final {
 public:
  explicit Registry(Limits limits) : limits_(std::move(limits)) {}

  // ALREADY_EXISTS: there is a region of that name. INVALID_ARGUMENT: a name or a key that cannot be, or what
  // Region::Open says. PERMISSION_DENIED: the key is not of those that are allowed. RESOURCE_EXHAUSTED: a limit.
  base::Status Register(const RegionSpec& spec);
  // A name that is not there is no error, as in Triton. FAILED_PRECONDITION: a request uses the region.
  base::Status Unregister(std::string_view name);
  // All that no request uses; the error names the others.
  base::Status UnregisterAll();
  // NOT_FOUND.
  base::Result<RegionSpec> Find(std::string_view name) const;
  // By name.
  std::vector<RegionSpec> All() const;

  // The same of memory on devices; the errors are also those of DeviceRegion::Open.
  base::Status RegisterDevice(const DeviceRegionSpec& spec);
  base::Status UnregisterDevice(std::string_view name);
  base::Status UnregisterAllDevices();
  base::Result<DeviceRegionSpec> FindDevice(std::string_view name) const;
  std::vector<DeviceRegionSpec> AllDevices() const;

  // Of either kind. NOT_FOUND.
  base::Result<std::shared_ptr<RegionUse>> Use(std::string_view name);

 private:
  base::Status CheckName(std::string_view name) const;
  base::Status CheckSize(std::string_view name, uint64_t byte_size) const;
  base::Status CheckKey(const RegionSpec& spec) const;
  // Whether the region would be in order.
  base::Status Check(const RegionSpec& spec) const;
  base::Status Check(const DeviceRegionSpec& spec) const;
  // Whether there is a place for it.
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

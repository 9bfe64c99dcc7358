#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/mutex.h"
#include "base/status.h"
#include "clientshm/region.h"

namespace inferd::clientshm {

// What clients may register.
struct Limits {
  std::string key_prefix = {};  // of objects' keys; empty: any
  bool own_only = true;         // no objects of other users
  size_t regions_max = 256;
  uint64_t region_bytes_max = uint64_t{1} << 30;
  uint64_t bytes_max = uint64_t{1} << 30;  // of all regions together
};

// The regions of shared memory that clients have registered, by name. Regions may overlap, and share an object.
// Thread-safe; RegionUses may outlive it.
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

  // NOT_FOUND.
  base::Result<std::shared_ptr<RegionUse>> Use(std::string_view name);

 private:
  base::Status CheckSpec(const RegionSpec& spec) const;
  base::Status CheckRoom(const RegionSpec& spec) const REQUIRES(mutex_);

  using Regions = std::map<std::string, std::shared_ptr<Region>, std::less<>>;

  const Limits limits_;
  mutable base::Mutex mutex_;
  Regions regions_ GUARDED_BY(mutex_);
  uint64_t bytes_ GUARDED_BY(mutex_) = 0;
};

}  // namespace inferd::clientshm

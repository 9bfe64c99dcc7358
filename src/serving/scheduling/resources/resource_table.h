#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <set>
#include <string>
#include <vector>

#include "base/status.h"
#include "config/options/resource_options.h"
#include "serving/scheduling/resources/grant_order.h"

namespace inferd::scheduling {

// The resources, their limits and what is free. A resource exists while a need names it. Its limit is that of the
// options, or else the most that any need asks for, as in Triton's rate limiter. The functions are not thread-safe.
// `Resource::free` may change at any time, as threads take and give back.
class ResourceTable final {
 public:
  static constexpr int32_t kGlobal = -1;

  struct Need {
    std::string name;
    int32_t device = kGlobal;
    uint32_t count = 0;
  };

  struct Resource {
    std::string name;
    int32_t device = kGlobal;
    bool soft = false;
    std::atomic<int64_t> free{0};
    int64_t limit = 0;
    int64_t given = -1;           // limit from the options; -1 if there is none
    std::multiset<int64_t> asks;  // one per need
  };

  // `cpu_threads` 0 means that compute threads are not limited.
  ResourceTable(std::vector<config::ResourceLimit> limits, int cpu_threads);

  // Adds needs, and returns them by resource number; repeated needs are summed up, and needs of 0 left out.
  // INVALID_ARGUMENT if there will never be as much, or a resource is global for one need and per device for another.
  base::Result<std::vector<ResourceAmount>> Add(const std::vector<Need>& needs, int cpu_threads);
  void Remove(const std::vector<ResourceAmount>& amounts);

  // The reference stays valid as long as a need names the resource.
  Resource& at(size_t resource) { return resources_[resource]; }
  std::vector<ResourceLevel> Levels() const;

 private:
  size_t FindOrAdd(const Need& need);
  int64_t GivenLimit(const Need& need) const;
  static base::Status CheckPlace(const std::string& name, int32_t device, int32_t other_device);
  base::Status Check(const Need& need, int64_t count) const;
  void SetLimit(Resource& resource);

  const std::vector<config::ResourceLimit> limits_;
  std::deque<Resource> resources_;  // unused entries are reused
  const bool cpu_limited_;          // if so, number 0 is the compute threads
};

}  // namespace inferd::scheduling

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

// Which resources there are, how much of each, and how much is free. A resource is there while a need names it; there
// is as much of it as the options say, or else the most that any need asks for, as with Triton's rate limiter. The
// functions are not thread-safe; `Resource::free` may be changed at any time, by threads that give back what they take.
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
    int64_t given = -1;           // by the options; -1: not
    std::multiset<int64_t> asks;  // one for each need
  };

  // `cpu_threads` 0: compute threads are not limited.
  ResourceTable(std::vector<config::ResourceLimit> limits, int cpu_threads);

  // In place of `needs`, by number; what is needed twice is added up, what is needed 0 times is left out.
  // INVALID_ARGUMENT: there will never be as much; or a resource is global for one and of a device for another.
  base::Result<std::vector<ResourceAmount>> Add(const std::vector<Need>& needs, int cpu_threads);
  void Remove(const std::vector<ResourceAmount>& amounts);

  // Stays where it is as long as a need names it.
  Resource& at(size_t resource) { return resources_[resource]; }
  std::vector<ResourceLevel> Levels() const;

 private:
  size_t FindOrAdd(const Need& need);
  int64_t GivenLimit(const Need& need) const;
  static base::Status CheckPlace(const std::string& name, int32_t device, int32_t other_device);
  base::Status Check(const Need& need, int64_t count) const;
  void SetLimit(Resource& resource);

  const std::vector<config::ResourceLimit> limits_;
  std::deque<Resource> resources_;  // those that nobody asks for are used again
  const bool cpu_limited_;          // number 0 is the compute threads then
};

}  // namespace inferd::scheduling

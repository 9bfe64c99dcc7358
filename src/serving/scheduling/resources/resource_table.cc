#include "serving/scheduling/resources/resource_table.h"

#include <algorithm>

namespace inferd::scheduling {

ResourceTable::ResourceTable(std::vector<config::ResourceLimit> limits, int cpu_threads)
    : limits_(std::move(limits)), cpu_limited_(cpu_threads > 0) {
  if (!cpu_limited_) return;
  Resource& cpu = resources_.emplace_back();
  cpu.soft = true;
  cpu.given = cpu.limit = cpu.free = cpu_threads;
}

// A limit for a device takes precedence over one for all devices. As in Triton, a resource that is only given for other
// devices does not exist here, and a global need gets the most that is given anywhere.
int64_t ResourceTable::GivenLimit(const Need& need) const {
  int64_t most = -1;
  int64_t for_all = -1;
  for (const config::ResourceLimit& limit : limits_) {
    if (limit.name != need.name) continue;
    if (limit.device == need.device) return limit.count;
    if (limit.device == kGlobal) for_all = limit.count;
    most = std::max<int64_t>(most, limit.count);
  }
  if (need.device == kGlobal || most < 0) return most;
  return std::max<int64_t>(for_all, 0);
}

// The texts are those of Triton.
base::Status ResourceTable::CheckPlace(const std::string& name, int32_t device, int32_t other_device) {
  if ((device == kGlobal) == (other_device == kGlobal)) return base::OkStatus();
  return base::InvalidArgument("Resource \"" + name +
                               "\" is present as both global and device-specific resource in the model configuration.");
}

base::Status ResourceTable::Check(const Need& need, int64_t count) const {
  for (const Resource& other : resources_) {
    if (other.asks.empty() || other.soft || other.name != need.name) continue;
    INFERD_RETURN_IF_ERROR(CheckPlace(need.name, need.device, other.device));
  }
  if (const int64_t given = GivenLimit(need); given >= 0 && given < count) {
    return base::InvalidArgument("Resource count for \"" + need.name + "\" is limited to " + std::to_string(given) +
                                 " which will prevent scheduling of one or more model instances, the minimum required "
                                 "count is " +
                                 std::to_string(count));
  }
  return base::OkStatus();
}

size_t ResourceTable::FindOrAdd(const Need& need) {
  size_t unused = resources_.size();
  for (size_t i = cpu_limited_ ? 1 : 0; i < resources_.size(); ++i) {
    const Resource& resource = resources_[i];
    if (resource.asks.empty()) {
      unused = i;
    } else if (resource.name == need.name && resource.device == need.device) {
      return i;
    }
  }
  if (unused == resources_.size()) resources_.emplace_back();
  Resource& resource = resources_[unused];
  resource.name = need.name;
  resource.device = need.device;
  resource.given = GivenLimit(need);
  return unused;
}

void ResourceTable::SetLimit(Resource& resource) {
  int64_t limit = resource.asks.empty() ? 0 : *resource.asks.rbegin();
  if (resource.given >= 0) limit = resource.given;
  resource.free.fetch_add(limit - resource.limit);
  resource.limit = limit;
}

base::Result<std::vector<ResourceAmount>> ResourceTable::Add(const std::vector<Need>& needs, int cpu_threads) {
  std::vector<Need> distinct;
  std::vector<ResourceAmount> amounts;
  for (const Need& need : needs) {
    if (need.count == 0) continue;
    for (const Need& other : distinct) {
      if (other.name == need.name) INFERD_RETURN_IF_ERROR(CheckPlace(need.name, need.device, other.device));
    }
    const auto same = std::ranges::find_if(
        distinct, [&](const Need& other) { return other.name == need.name && other.device == need.device; });
    if (same == distinct.end()) {
      distinct.push_back(need);
      amounts.push_back({.count = need.count});
    } else {
      amounts[static_cast<size_t>(same - distinct.begin())].count += need.count;
    }
  }
  for (size_t i = 0; i < distinct.size(); ++i) INFERD_RETURN_IF_ERROR(Check(distinct[i], amounts[i].count));
  for (size_t i = 0; i < distinct.size(); ++i) {
    amounts[i].resource = FindOrAdd(distinct[i]);
    Resource& resource = resources_[amounts[i].resource];
    resource.asks.insert(amounts[i].count);
    SetLimit(resource);
  }
  // An execution that could use more threads than there are gets all of them.
  if (cpu_limited_ && cpu_threads > 0) {
    amounts.push_back({.resource = 0, .count = std::min<int64_t>(cpu_threads, resources_[0].limit)});
    resources_[0].asks.insert(amounts.back().count);
  }
  return amounts;
}

void ResourceTable::Remove(const std::vector<ResourceAmount>& amounts) {
  for (const ResourceAmount& amount : amounts) {
    Resource& resource = resources_[amount.resource];
    resource.asks.erase(resource.asks.find(amount.count));
    SetLimit(resource);
    if (resource.asks.empty() && !resource.soft) resource.given = -1;
  }
}

std::vector<ResourceLevel> ResourceTable::Levels() const {
  std::vector<ResourceLevel> levels;
  for (const Resource& resource : resources_) {
    levels.push_back({.free = resource.free.load(), .limit = resource.limit, .soft = resource.soft});
  }
  return levels;
}

}  // namespace inferd::scheduling

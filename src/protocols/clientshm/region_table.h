#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/status.h"
#include "base/text/printable.h"

namespace inferd::clientshm {

// Regions of one kind, by name. Not thread-safe.
template <typename R, typename Spec>
class RegionTable final {
 public:
  using Regions = std::map<std::string, std::shared_ptr<R>, std::less<>>;

  void Add(std::shared_ptr<R> region) {
    bytes_ += region->spec().byte_size;
    std::string name = region->spec().name;
    regions_.emplace(std::move(name), std::move(region));
  }
  // Null if there is none.
  std::shared_ptr<R> Find(std::string_view name) const {
    const auto found = regions_.find(name);
    return found == regions_.end() ? nullptr : found->second;
  }
  // Returns all regions, sorted by name.
  std::vector<Spec> All() const {
    std::vector<Spec> all;
    for (const auto& [name, region] : regions_) all.push_back(region->spec());
    return all;
  }
  size_t size() const { return regions_.size(); }
  uint64_t bytes() const { return bytes_; }

  // Removes a region and moves it to `removed`, so that it can be closed without the registry's lock. An unknown name
  // is no error. FAILED_PRECONDITION if a request uses the region.
  base::Status Remove(std::string_view name, Regions& removed) {
    const auto found = regions_.find(name);
    if (found == regions_.end()) return base::OkStatus();
    if (found->second->in_use()) {
      return base::FailedPrecondition("Cannot unregister shared memory region " + base::QuotedName(name) +
                                      ", it is currently in use.");
    }
    bytes_ -= found->second->spec().byte_size;
    removed.insert(regions_.extract(found));
    return base::OkStatus();
  }
  // Removes all regions that no request uses. The error names the others.
  base::Status RemoveAll(Regions& removed) {
    std::string kept;
    for (auto it = regions_.begin(); it != regions_.end();) {
      const std::string name = (it++)->first;
      if (!Remove(name, removed).ok()) kept += (kept.empty() ? "" : ", ") + base::QuotedName(name);
    }
    if (kept.empty()) return base::OkStatus();
    return base::FailedPrecondition("Cannot unregister shared memory regions that are currently in use: " + kept);
  }

 private:
  Regions regions_;
  uint64_t bytes_ = 0;
};

}  // namespace inferd::clientshm

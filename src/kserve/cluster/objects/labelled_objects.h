#pragma once

#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/mutex.h"
#include "kserve/cluster/objects/resources.h"
#include "kserve/kubernetes/watch/object_cache.h"

namespace inferd::cluster {

// An object that has the label of what it was made for.
struct LabelledObject {
  const kubernetes::Resource* resource = nullptr;  // one of WrittenResources, or Pods
  kubernetes::ObjectPointer object;
};

// Which objects have a label with which value: the name of the service or the graph that they were made for.
// Thread-safe.
class LabelledObjects final {
 public:
  explicit LabelledObjects(std::string label) : label_(std::move(label)) {}

  // What an informer of `resource`, which outlives this, has told. Returns the owners that it is of: before, and now.
  std::vector<kubernetes::ObjectName> Note(const kubernetes::Resource& resource,
                                           const kubernetes::ObjectCache::Change& change);

  bool empty() const;

  // In order of kinds and names.
  std::vector<LabelledObject> Of(const kubernetes::ObjectName& owner) const;

  // True if one of any owner's objects of that kind matches. `matches` is called with the lock held.
  bool Any(const kubernetes::Resource& resource, const std::function<bool(const manifest::Value&)>& matches) const;

 private:
  using Key = std::pair<const kubernetes::Resource*, std::string>;  // and its name

  const std::string label_;
  mutable base::Mutex mutex_;
  std::map<kubernetes::ObjectName, std::map<Key, kubernetes::ObjectPointer>> owners_ GUARDED_BY(mutex_);
};

}  // namespace inferd::cluster

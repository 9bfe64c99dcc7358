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

// An object with the label of its owner.
struct LabelledObject {
  const kubernetes::Resource* resource = nullptr;  // one of WrittenResources, or Pods
  kubernetes::ObjectPointer object;
};

// An index of objects by the value of a label: the name of the service or the graph that they were made for.
// Thread-safe.
class LabelledObjects final {
 public:
  explicit LabelledObjects(std::string label) : label_(std::move(label)) {}

  // Records a change that an informer of `resource` reported. Returns the owners before and after the change.
  // `resource` must outlive this.
  std::vector<kubernetes::ObjectName> Note(const kubernetes::Resource& resource,
                                           const kubernetes::ObjectCache::Change& change);

  bool empty() const;

  // Returns the owner's objects, sorted by kind and name.
  std::vector<LabelledObject> Of(const kubernetes::ObjectName& owner) const;

  // True if any owner's object of that kind matches. `matches` is called with the lock held.
  bool Any(const kubernetes::Resource& resource, const std::function<bool(const manifest::Value&)>& matches) const;

 private:
  using Key = std::pair<const kubernetes::Resource*, std::string>;  // kind and the owner's name

  const std::string label_;
  mutable base::Mutex mutex_;
  std::map<kubernetes::ObjectName, std::map<Key, kubernetes::ObjectPointer>> owners_ GUARDED_BY(mutex_);
};

}  // namespace inferd::cluster

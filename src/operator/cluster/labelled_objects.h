#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/mutex.h"
#include "kubernetes/watch/object_cache.h"
#include "operator/cluster/resources.h"

namespace inferd::operators {

// An object that has a service's label.
struct LabelledObject {
  const kubernetes::Resource* resource = nullptr;  // one of WrittenResources, or Pods
  kubernetes::ObjectPointer object;
};

// Which objects have the label of which service. Thread-safe.
class LabelledObjects final {
 public:
  // What an informer of `resource`, which outlives this, has told. Returns the services that it is of: before, and now.
  std::vector<kubernetes::ObjectName> Note(const kubernetes::Resource& resource,
                                           const kubernetes::ObjectCache::Change& change);

  // In order of kinds and names.
  std::vector<LabelledObject> Of(const kubernetes::ObjectName& service) const;

 private:
  using Key = std::pair<const kubernetes::Resource*, std::string>;  // and its name

  mutable base::Mutex mutex_;
  std::map<kubernetes::ObjectName, std::map<Key, kubernetes::ObjectPointer>> services_ GUARDED_BY(mutex_);
};

}  // namespace inferd::operators

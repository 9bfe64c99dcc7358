#include "operator/cluster/labelled_objects.h"

#include "operator/cluster/ownership.h"

namespace inferd::operators {

using kubernetes::ObjectName;

std::vector<ObjectName> LabelledObjects::Note(const kubernetes::Resource& resource,
                                              const kubernetes::ObjectCache::Change& change) {
  std::vector<ObjectName> services;
  const auto service_of = [&](const kubernetes::ObjectPointer& object) -> ObjectName {
    return {change.name.namespace_name, object == nullptr ? std::string() : ServiceLabelOf(*object)};
  };
  const ObjectName before = service_of(change.before);
  const ObjectName now = service_of(change.now);
  const base::MutexLock lock(mutex_);
  if (!before.name.empty()) {
    services.push_back(before);
    if (const auto found = services_.find(before); found != services_.end()) {
      found->second.erase({&resource, change.name.name});
      if (found->second.empty()) services_.erase(found);
    }
  }
  if (!now.name.empty()) {
    if (now != before) services.push_back(now);
    services_[now].insert_or_assign({&resource, change.name.name}, change.now);
  }
  return services;
}

std::vector<LabelledObject> LabelledObjects::Of(const ObjectName& service) const {
  std::vector<LabelledObject> objects;
  const base::MutexLock lock(mutex_);
  const auto found = services_.find(service);
  if (found == services_.end()) return objects;
  for (const auto& [key, object] : found->second) objects.push_back({key.first, object});
  return objects;
}

}  // namespace inferd::operators

#include "kserve/cluster/objects/labelled_objects.h"

#include "data/manifest/value_path.h"

namespace inferd::cluster {

using kubernetes::ObjectName;

std::vector<ObjectName> LabelledObjects::Note(const kubernetes::Resource& resource,
                                              const kubernetes::ObjectCache::Change& change) {
  std::vector<ObjectName> owners;
  const auto owner_of = [&](const kubernetes::ObjectPointer& object) -> ObjectName {
    return {change.name.namespace_name,
            object == nullptr ? std::string() : manifest::TextAt(*object, {"metadata", "labels", label_})};
  };
  const ObjectName before = owner_of(change.before);
  const ObjectName now = owner_of(change.now);
  const base::MutexLock lock(mutex_);
  if (!before.name.empty()) {
    owners.push_back(before);
    if (const auto found = owners_.find(before); found != owners_.end()) {
      found->second.erase({&resource, change.name.name});
      if (found->second.empty()) owners_.erase(found);
    }
  }
  if (!now.name.empty()) {
    if (now != before) owners.push_back(now);
    owners_[now].insert_or_assign({&resource, change.name.name}, change.now);
  }
  return owners;
}

std::vector<LabelledObject> LabelledObjects::Of(const ObjectName& owner) const {
  std::vector<LabelledObject> objects;
  const base::MutexLock lock(mutex_);
  const auto found = owners_.find(owner);
  if (found == owners_.end()) return objects;
  for (const auto& [key, object] : found->second) objects.push_back({key.first, object});
  return objects;
}

bool LabelledObjects::empty() const {
  const base::MutexLock lock(mutex_);
  return owners_.empty();
}

bool LabelledObjects::Any(const kubernetes::Resource& resource,
                          const std::function<bool(const manifest::Value&)>& matches) const {
  const base::MutexLock lock(mutex_);
  for (const auto& [owner, objects] : owners_) {
    for (const auto& [key, object] : objects) {
      if (*key.first == resource && matches(*object)) return true;
    }
  }
  return false;
}

}  // namespace inferd::cluster

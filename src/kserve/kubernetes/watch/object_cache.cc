#include "kserve/kubernetes/watch/object_cache.h"

#include <utility>

namespace inferd::kubernetes {

namespace {

// If the object was deleted and created again, the uid differs.
bool IsSame(const ObjectPointer& a, const ObjectPointer& b) {
  return a != nullptr && b != nullptr && ResourceVersionOf(*a) == ResourceVersionOf(*b) && UidOf(*a) == UidOf(*b);
}

}  // namespace

ObjectPointer ObjectCache::Find(const ObjectName& name) const {
  const base::MutexLock lock(mutex_);
  const auto found = objects_.find(name);
  return found == objects_.end() ? nullptr : found->second;
}

std::vector<ObjectPointer> ObjectCache::All() const {
  const base::MutexLock lock(mutex_);
  std::vector<ObjectPointer> all;
  all.reserve(objects_.size());
  for (const auto& [name, object] : objects_) all.push_back(object);
  return all;
}

bool ObjectCache::synced() const {
  const base::MutexLock lock(mutex_);
  return synced_;
}

int ObjectCache::failures() const {
  const base::MutexLock lock(mutex_);
  return failures_;
}

void ObjectCache::Resync() const {
  for (const ObjectPointer& object : All()) on_change_({.name = NameOf(*object), .before = object, .now = object});
}

void ObjectCache::OnList(ObjectList list) {
  Objects listed;
  for (manifest::Value& item : list.items) {
    ObjectName name = NameOf(item);
    listed.insert_or_assign(std::move(name), std::make_shared<const manifest::Value>(std::move(item)));
  }
  std::vector<Change> changes;
  {
    const base::MutexLock lock(mutex_);
    failures_ = 0;
    for (const auto& [name, object] : objects_) {
      if (!listed.contains(name)) changes.push_back({.name = name, .before = object, .now = nullptr});
    }
    for (const auto& [name, object] : listed) {
      const auto before = objects_.find(name);
      ObjectPointer known = before == objects_.end() ? nullptr : before->second;
      if (!IsSame(known, object)) changes.push_back({.name = name, .before = std::move(known), .now = object});
    }
    objects_ = std::move(listed);
  }
  for (const Change& change : changes) on_change_(change);
  // Set only now: whoever sees synced() must have received all objects of the first list.
  const base::MutexLock lock(mutex_);
  synced_ = true;
}

void ObjectCache::OnEvent(WatchEvent event) {
  Change change{.name = NameOf(event.object), .before = nullptr, .now = nullptr};
  const bool deleted = event.type == WatchEvent::Type::kDeleted;
  if (!deleted) change.now = std::make_shared<const manifest::Value>(std::move(event.object));
  {
    const base::MutexLock lock(mutex_);
    failures_ = 0;
    if (const auto found = objects_.find(change.name); found != objects_.end()) {
      change.before = std::move(found->second);
      objects_.erase(found);
    }
    if (!deleted) objects_.emplace(change.name, change.now);
  }
  if (change.before == nullptr && deleted) return;  // it was created and deleted while the watch was interrupted
  if (!IsSame(change.before, change.now)) on_change_(change);
}

void ObjectCache::OnProgress() {
  const base::MutexLock lock(mutex_);
  failures_ = 0;
}

void ObjectCache::OnError(const ApiError& error) {
  {
    const base::MutexLock lock(mutex_);
    ++failures_;
  }
  if (on_trouble_) on_trouble_(error);
}

}  // namespace inferd::kubernetes

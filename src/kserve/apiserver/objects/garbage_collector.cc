#include "kserve/apiserver/objects/garbage_collector.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "data/manifest/value_path.h"

namespace inferd::apiserver {

namespace {

using apiserver::Change;
using apiserver::ObjectKey;
using apiserver::ObjectPtr;
using apiserver::StoredObject;
using manifest::Value;

const WriteOptions kByCollector = {.manager = "garbage-collector", .internal = true};

const ResourceType& TypeOf(const ObjectKey& key) {
  return *std::ranges::find_if(ResourceTypes(),
                               [&](const ResourceType& type) { return type.resource() == key.resource; });
}

// A quick check that avoids parsing. Most objects have neither owners nor a deletion timestamp.
bool MayMatter(const std::string& json) {
  return json.find("\"ownerReferences\"") != std::string::npos ||
         json.find("\"deletionTimestamp\"") != std::string::npos;
}

bool IsBeingDeleted(const Value& object) { return FieldAt(object, {"metadata", "deletionTimestamp"}) != nullptr; }

std::string UidOf(const Value& object) { return TextAt(object, {"metadata", "uid"}); }

}  // namespace

void GarbageCollector::Run() {
  const auto since =
      registry_.store().ChangesSince(std::max<int64_t>(revision_, 0), "", std::numeric_limits<size_t>::max());
  if (revision_ < 0 || !since.has_value()) {
    LookAtAll();
  } else {
    revision_ = since->revision;
    for (const apiserver::Change& change : since->changes) {
      Look(*change.object, change.type == apiserver::Change::Type::kDeleted);
    }
  }
  // The next call processes what these write.
  for (const ObjectKey& key : std::exchange(to_check_, {})) CheckDependent(key);
  for (const ObjectKey& key : Keys(waiting_)) CheckOwner(key);
  // A failed deletion, for example because the disk is full, is retried with each call.
  for (const ObjectKey& key : namespaces_) static_cast<void>(registry_.FinishNamespace(key.name));
}

void GarbageCollector::LookAtAll() {
  dependents_.clear();
  by_owner_.clear();
  waiting_.clear();
  namespaces_.clear();
  revision_ = registry_.store().revision();
  for (const ResourceType& type : ResourceTypes()) {
    for (const ObjectPtr& object : registry_.store().List(type.resource(), "").objects) Look(*object, false);
  }
}

void GarbageCollector::Look(const StoredObject& object, bool deleted) {
  const ObjectKey& key = object.key;
  if (deleted) {
    Note(key, {});
    waiting_.erase(key);
    to_check_.erase(key);
    namespaces_.erase(key);
    if (!by_owner_.empty()) to_check_.merge(DependentsOf(UidOf(ParseStored(object.json))));
    return;
  }
  if (!MayMatter(object.json)) return Note(key, {});
  const Value document = ParseStored(object.json);
  Note(key, OwnersOf(document));
  if (dependents_.contains(key)) to_check_.insert(key);
  const bool ours = HasFinalizer(document, kForegroundFinalizer) || HasFinalizer(document, kOrphanFinalizer);
  if (IsBeingDeleted(document) && ours) waiting_.insert(key);
  if (IsBeingDeleted(document) && key.resource == "namespaces") namespaces_.insert(key);
}

void GarbageCollector::Note(const ObjectKey& key, std::vector<Owner> owners) {
  if (const auto before = dependents_.find(key); before != dependents_.end()) {
    for (const Owner& owner : before->second) {
      const auto found = by_owner_.find(owner.uid);
      if (found == by_owner_.end()) continue;
      found->second.erase(key);
      if (found->second.empty()) by_owner_.erase(found);
    }
    dependents_.erase(before);
  }
  if (owners.empty()) return;
  for (const Owner& owner : owners) by_owner_[owner.uid].insert(key);
  dependents_[key] = std::move(owners);
}

GarbageCollector::Keys GarbageCollector::DependentsOf(const std::string& uid) const {
  const auto found = by_owner_.find(uid);
  return found == by_owner_.end() ? Keys() : found->second;
}

Value GarbageCollector::Read(const ObjectKey& key) const {
  const ObjectPtr stored = registry_.store().Get(key);
  return stored == nullptr ? Value() : ParseStored(stored->json);
}

void GarbageCollector::Change(const ObjectKey& key, const Registry::Edit& edit) {
  // An object that was deleted meanwhile needs no change.
  static_cast<void>(registry_.Change(TypeOf(key), key.namespace_name, key.name, edit, kByCollector));
}

void GarbageCollector::CheckDependent(const ObjectKey& key) {
  const auto found = dependents_.find(key);
  if (found == dependents_.end()) return;
  std::vector<std::string> absent;
  bool awaited = false;
  size_t solid = 0;
  for (const Owner& owner : found->second) {
    const ResourceType* const type = FindKind(owner.api_version, owner.kind);
    const Value live = type == nullptr ? Value() : Read(Registry::KeyOf(*type, key.namespace_name, owner.name));
    if (type != nullptr && UidOf(live) != owner.uid) {
      absent.push_back(owner.uid);
    } else if (IsBeingDeleted(live) && HasFinalizer(live, kForegroundFinalizer)) {
      awaited = true;
    } else {
      ++solid;
    }
  }
  if (solid > 0) {
    for (const std::string& uid : absent) {
      Change(key, [&](const Value& live) -> ApiResult<Value> { return WithoutOwner(live, uid); });
    }
    return;
  }
  const Value object = Read(key);
  if (IsBeingDeleted(object)) return;
  // If an owner waits for the object, it also waits for the object's own dependents.
  const bool owns = by_owner_.contains(UidOf(object));
  bool gone = false;
  static_cast<void>(registry_.Delete(
      TypeOf(key), key.namespace_name, key.name,
      {.uid = UidOf(object),
       .propagation = awaited && owns ? DeletePropagation::kForeground : DeletePropagation::kBackground},
      gone));
}

bool GarbageCollector::BlocksDeletionOf(const ObjectKey& dependent, const std::string& uid) const {
  return std::ranges::any_of(dependents_.at(dependent),
                             [&](const Owner& owner) { return owner.uid == uid && owner.blocks; });
}

void GarbageCollector::Orphan(const Keys& dependents, const std::string& uid) {
  for (const ObjectKey& key : dependents) {
    Change(key, [&](const Value& live) -> ApiResult<Value> { return WithoutOwner(live, uid); });
  }
}

void GarbageCollector::CheckOwner(const ObjectKey& key) {
  const Value object = Read(key);
  const std::string uid = UidOf(object);
  const Keys dependents = DependentsOf(uid);
  if (HasFinalizer(object, kOrphanFinalizer)) {
    Orphan(dependents, uid);
    Change(key, [](const Value& live) -> ApiResult<Value> { return WithoutFinalizer(live, kOrphanFinalizer); });
  } else if (HasFinalizer(object, kForegroundFinalizer)) {
    for (const ObjectKey& dependent : dependents) CheckDependent(dependent);
    if (std::ranges::any_of(dependents, [&](const ObjectKey& each) { return BlocksDeletionOf(each, uid); })) return;
    Change(key, [](const Value& live) -> ApiResult<Value> { return WithoutFinalizer(live, kForegroundFinalizer); });
  }
  waiting_.erase(key);
}

}  // namespace inferd::apiserver

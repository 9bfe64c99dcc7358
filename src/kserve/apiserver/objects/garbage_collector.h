#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "kserve/apiserver/objects/owners.h"
#include "kserve/apiserver/objects/registry.h"
#include "kserve/apiserver/store/stored_object.h"

namespace inferd::apiserver {

// Deletes the dependents of deleted objects, and those that a foreground deletion waits for. Removes the owner from
// dependents that are orphaned (Kubernetes: garbage collection). Ignores owners of kinds that the API does not have.
// Removes Terminating namespaces once they are empty. Not thread-safe. The registry must outlive it.
class GarbageCollector final {
 public:
  explicit GarbageCollector(Registry& registry) : registry_(registry) {}

  // Processes the changes since the last call. The first call processes all objects.
  void Run();

 private:
  using Keys = std::set<apiserver::ObjectKey>;

  void LookAtAll();
  void Look(const apiserver::StoredObject& object, bool deleted);
  void Note(const apiserver::ObjectKey& key, std::vector<Owner> owners);
  // Deletes the object if none of its owners exists.
  void CheckDependent(const apiserver::ObjectKey& key);
  // Continues the deletion of an object that has one of the finalizers of this class.
  void CheckOwner(const apiserver::ObjectKey& key);
  void Orphan(const Keys& dependents, const std::string& uid);
  bool BlocksDeletionOf(const apiserver::ObjectKey& dependent, const std::string& uid) const;
  Keys DependentsOf(const std::string& uid) const;
  manifest::Value Read(const apiserver::ObjectKey& key) const;
  void Change(const apiserver::ObjectKey& key, const Registry::Edit& edit);

  Registry& registry_;
  int64_t revision_ = -1;                                          // of the last run; -1 before the first
  std::map<apiserver::ObjectKey, std::vector<Owner>> dependents_;  // objects with owners
  std::map<std::string, Keys> by_owner_;                           // dependents by owner uid
  Keys waiting_;                                                   // objects that CheckOwner handles
  Keys to_check_;                                                  // dependents to check
  Keys namespaces_;                                                // Terminating namespaces
};

}  // namespace inferd::apiserver

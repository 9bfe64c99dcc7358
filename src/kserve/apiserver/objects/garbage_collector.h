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

// Deletes what belongs to objects that are gone, and what deletions in the foreground wait for; takes the owner away
// from what is to be left alone (Kubernetes: garbage collection). Owners of kinds that the API does not have are left
// to others. Namespaces that are Terminating go once nothing is left in them. Not thread-safe; the registry outlives
// it.
class GarbageCollector final {
 public:
  explicit GarbageCollector(Registry& registry) : registry_(registry) {}

  // Does what the changes since the last call ask for; of the first call, all that there is.
  void Run();

 private:
  using Keys = std::set<apiserver::ObjectKey>;

  void LookAtAll();
  void Look(const apiserver::StoredObject& object, bool deleted);
  void Note(const apiserver::ObjectKey& key, std::vector<Owner> owners);
  // What owns nothing that is there any more is deleted.
  void CheckDependent(const apiserver::ObjectKey& key);
  // An object that is being deleted, with a finalizer of this class.
  void CheckOwner(const apiserver::ObjectKey& key);
  void Orphan(const Keys& dependents, const std::string& uid);
  bool BlocksDeletionOf(const apiserver::ObjectKey& dependent, const std::string& uid) const;
  Keys DependentsOf(const std::string& uid) const;
  manifest::Value Read(const apiserver::ObjectKey& key) const;
  void Change(const apiserver::ObjectKey& key, const Registry::Edit& edit);

  Registry& registry_;
  int64_t revision_ = -1;                                          // of the last look; -1: there was none
  std::map<apiserver::ObjectKey, std::vector<Owner>> dependents_;  // objects that have owners
  std::map<std::string, Keys> by_owner_;                           // of each uid
  Keys waiting_;                                                   // objects whose deletion is for CheckOwner
  Keys to_check_;                                                  // dependents
  Keys namespaces_;                                                // that are Terminating
};

}  // namespace inferd::apiserver

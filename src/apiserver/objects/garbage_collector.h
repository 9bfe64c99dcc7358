#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "apiserver/objects/owners.h"
#include "apiserver/objects/registry.h"
#include "objectstore/stored_object.h"

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
  using Keys = std::set<objectstore::ObjectKey>;

  void LookAtAll();
  void Look(const objectstore::StoredObject& object, bool deleted);
  void Note(const objectstore::ObjectKey& key, std::vector<Owner> owners);
  // What owns nothing that is there any more is deleted.
  void CheckDependent(const objectstore::ObjectKey& key);
  // An object that is being deleted, with a finalizer of this class.
  void CheckOwner(const objectstore::ObjectKey& key);
  void Orphan(const Keys& dependents, const std::string& uid);
  bool BlocksDeletionOf(const objectstore::ObjectKey& dependent, const std::string& uid) const;
  Keys DependentsOf(const std::string& uid) const;
  manifest::Value Read(const objectstore::ObjectKey& key) const;
  void Change(const objectstore::ObjectKey& key, const Registry::Edit& edit);

  Registry& registry_;
  int64_t revision_ = -1;                                            // of the last look; -1: there was none
  std::map<objectstore::ObjectKey, std::vector<Owner>> dependents_;  // objects that have owners
  std::map<std::string, Keys> by_owner_;                             // of each uid
  Keys waiting_;                                                     // objects whose deletion is for CheckOwner
  Keys to_check_;                                                    // dependents
  Keys namespaces_;                                                  // that are Terminating
};

}  // namespace inferd::apiserver

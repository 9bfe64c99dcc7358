#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "data/manifest/problem.h"
#include "data/manifest/value.h"
#include "kserve/apiserver/objects/resource_type.h"

namespace inferd::apiserver {

// The owner of an object (Kubernetes: OwnerReference).
struct Owner {
  std::string api_version;
  std::string kind;
  std::string name;
  std::string uid;
  bool blocks = false;  // the owner's foreground deletion waits for the object (blockOwnerDeletion)
};

// Returns the owners of an object. Malformed references are left out.
std::vector<Owner> OwnersOf(const manifest::Value& object);
// Adds the problems of metadata.ownerReferences. Each reference needs an apiVersion, a kind, a name and a uid. At most
// one may be the controller.
void CheckOwners(const manifest::Value& object, manifest::Problems& problems);
// Returns the object without its owners of that uid.
manifest::Value WithoutOwner(manifest::Value object, std::string_view uid);

// Finalizers that decide about an object's dependents when it is deleted (Kubernetes: cascading deletion).
inline constexpr std::string_view kForegroundFinalizer = "foregroundDeletion";
inline constexpr std::string_view kOrphanFinalizer = "orphan";

bool HasFinalizer(const manifest::Value& object, std::string_view finalizer);
manifest::Value WithoutFinalizer(manifest::Value object, std::string_view finalizer);

}  // namespace inferd::apiserver

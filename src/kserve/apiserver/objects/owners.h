#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "data/manifest/problem.h"
#include "data/manifest/value.h"
#include "kserve/apiserver/objects/resource_type.h"

namespace inferd::apiserver {

// What an object belongs to (Kubernetes: OwnerReference).
struct Owner {
  std::string api_version;
  std::string kind;
  std::string name;
  std::string uid;
  bool blocks = false;  // its deletion in the foreground waits for the object (blockOwnerDeletion)
};

// Those of an object; what is not one is left out.
std::vector<Owner> OwnersOf(const manifest::Value& object);
// The problems of metadata.ownerReferences: each needs an apiVersion, a kind, a name and a uid, and one at most is the
// controller.
void CheckOwners(const manifest::Value& object, manifest::Problems& problems);
// The object without its owners of that uid.
manifest::Value WithoutOwner(manifest::Value object, std::string_view uid);

// Finalizers that stand for how an object's deletion goes on to those that it owns (Kubernetes: cascading deletion).
inline constexpr std::string_view kForegroundFinalizer = "foregroundDeletion";
inline constexpr std::string_view kOrphanFinalizer = "orphan";

bool HasFinalizer(const manifest::Value& object, std::string_view finalizer);
manifest::Value WithoutFinalizer(manifest::Value object, std::string_view finalizer);

}  // namespace inferd::apiserver

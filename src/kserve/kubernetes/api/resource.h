#pragma once

#include <compare>
#include <string>
#include <string_view>

namespace inferd::kubernetes {

// A kind of objects, and its path in the API: "deployments" of "apps/v1". These names suffice to use any kind of a
// cluster.
struct Resource {
  std::string group;  // "apps"; empty for Kubernetes' core group
  std::string version;
  std::string kind;    // "Deployment"
  std::string plural;  // "deployments"
  bool namespaced = true;

  // Returns "apps/v1", or "v1" for the core group.
  std::string api_version() const;

  bool operator==(const Resource&) const = default;
};

// The name of an object. The namespace of cluster-scoped objects is empty.
struct ObjectName {
  std::string namespace_name;
  std::string name;

  auto operator<=>(const ObjectName&) const = default;
};

// Returns for example "/apis/apps/v1/namespaces/a/deployments". Without a namespace, the path covers all namespaces.
// The path is percent-encoded. Thread-safe, like the other functions of this file.
std::string CollectionPath(const Resource& resource, std::string_view namespace_name);
// Returns the path of an object or of its subresource, such as "status". An empty subresource means the object itself.
std::string ObjectPath(const Resource& resource, const ObjectName& name, std::string_view subresource = {});

// The kinds that this room itself reads and writes.
const Resource& EventResource();  // core/v1
const Resource& LeaseResource();

}  // namespace inferd::kubernetes

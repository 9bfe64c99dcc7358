#pragma once

#include <compare>
#include <string>
#include <string_view>

namespace inferd::kubernetes {

// Objects of one kind, and where the API has them: "deployments" of "apps/v1". Nothing more of a kind needs to be
// known, so that any of a cluster can be used.
struct Resource {
  std::string group;  // "apps"; empty: Kubernetes' own
  std::string version;
  std::string kind;    // "Deployment"
  std::string plural;  // "deployments"
  bool namespaced = true;

  // "apps/v1"; "v1".
  std::string api_version() const;

  bool operator==(const Resource&) const = default;
};

// Which of a resource's objects. The namespace of one of the whole cluster is empty.
struct ObjectName {
  std::string namespace_name;
  std::string name;

  auto operator<=>(const ObjectName&) const = default;
};

// "/apis/apps/v1/namespaces/a/deployments", without namespace those of all. Percent-encoded. Thread-safe, as are the
// others.
std::string CollectionPath(const Resource& resource, std::string_view namespace_name);
// The same of an object, and of what is below it, as "status"; empty: the object itself.
std::string ObjectPath(const Resource& resource, const ObjectName& name, std::string_view subresource = {});

// What this room itself reads and writes.
const Resource& EventResource();  // of v1
const Resource& LeaseResource();

}  // namespace inferd::kubernetes

#include "kserve/kubernetes/api/resource.h"

#include "base/text/percent.h"

namespace inferd::kubernetes {

std::string Resource::api_version() const { return group.empty() ? version : group + "/" + version; }

std::string CollectionPath(const Resource& resource, std::string_view namespace_name) {
  std::string path = resource.group.empty() ? "/api/" : "/apis/" + base::PercentEncoded(resource.group) + "/";
  path += base::PercentEncoded(resource.version);
  if (resource.namespaced && !namespace_name.empty()) path += "/namespaces/" + base::PercentEncoded(namespace_name);
  return path + "/" + base::PercentEncoded(resource.plural);
}

std::string ObjectPath(const Resource& resource, const ObjectName& name, std::string_view subresource) {
  std::string path = CollectionPath(resource, name.namespace_name) + "/" + base::PercentEncoded(name.name);
  if (!subresource.empty()) path += "/" + base::PercentEncoded(subresource);
  return path;
}

const Resource& EventResource() {
  static const Resource resource = {.group = "", .version = "v1", .kind = "Event", .plural = "events"};
  return resource;
}

const Resource& LeaseResource() {
  static const Resource resource = {
      .group = "coordination.k8s.io", .version = "v1", .kind = "Lease", .plural = "leases"};
  return resource;
}

}  // namespace inferd::kubernetes

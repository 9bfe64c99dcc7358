#include "kserve/model/resolve/hosts.h"

#include "data/manifest/names.h"
#include "kserve/model/pods/template_text.h"

namespace inferd::model {

namespace {

// Returns the error of a domain name. Empty if it is valid. Unlike Kubernetes, DNS limits the length of each label.
std::string DomainFault(std::string_view domain) {
  for (const std::string& fault : manifest::CheckSubdomain(domain)) return fault;
  for (std::string_view rest = domain;;) {
    const size_t point = rest.find('.');
    const std::vector<std::string> faults = manifest::CheckLabel(rest.substr(0, point));
    if (!faults.empty()) return "'" + std::string(rest.substr(0, point)) + "' " + faults.front();
    if (point == std::string_view::npos) return "";
    rest.remove_prefix(point + 1);
  }
}

}  // namespace

base::Result<std::string> ExternalHost(const ObjectMeta& metadata, const std::string& object_name,
                                       const InferenceServiceConfig& config) {
  TemplateValues values = TemplateValues::Of(metadata);
  values.fields["Name"] = object_name;
  values.fields["IngressDomain"] = config.ingress.domain;
  auto host = ExpandTemplate(config.ingress.domain_template, values, Escaping::kNone);
  if (!host.has_value()) return std::unexpected(host.error().WithContext("domainTemplate"));
  const std::string fault = DomainFault(*host);
  if (fault.empty()) return host;
  return std::unexpected(base::InvalidArgument("invalid domain name \"" + *host + "\": " + fault));
}

std::string ClusterHost(const ObjectMeta& metadata, const std::string& object_name) {
  return object_name + "." + metadata.namespace_name + ".svc.cluster.local";
}

base::Result<std::string> ExternalPath(const ObjectMeta& metadata, const InferenceServiceConfig& config) {
  TemplateValues values;
  values.fields = {{"Name", metadata.name}, {"Namespace", metadata.namespace_name}};
  auto path = ExpandTemplate(config.ingress.path_template, values, Escaping::kNone);
  if (!path.has_value()) return std::unexpected(path.error().WithContext("pathTemplate"));
  return path;
}

}  // namespace inferd::model

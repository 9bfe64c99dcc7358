#include "kserve/gateway/service_routes.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "kserve/model/resolve/hosts.h"

namespace inferd::gateway {

namespace {

using model::ComponentKind;
using model::ComponentObjectName;
using model::InferenceService;

constexpr uint32_t kAll = 100;
// The paths of explanations (KServe: those of its VirtualService; V2 has no request for explanations).
constexpr std::array<std::pair<std::string_view, std::string_view>, 2> kExplanations = {
    std::pair("/v1/models/", ":explain"), std::pair("/v2/models/", "/explain")};

const ComponentShares* Find(std::span<const ComponentShares> components, ComponentKind kind) {
  const auto found = std::ranges::find(components, kind, &ComponentShares::kind);
  return found == components.end() ? nullptr : &*found;
}

class ServiceRoutes {
 public:
  ServiceRoutes(const InferenceService& service, const HostNames& names, gateway::RouteList& routes)
      : service_(service), names_(names), routes_(routes) {}

  // Adds routes for the external host and the in-cluster host of `object`.
  base::Status AddHosts(const std::string& object, const ComponentShares& component, const gateway::Route& form) {
    INFERD_ASSIGN_OR_RETURN(const std::string host, model::ExternalHost(service_, object, names_.config));
    AddComponentRoutes(host, component, form, routes_);
    AddComponentRoutes(model::ClusterHost(service_, object), component, form, routes_);
    if (!names_.short_names) return base::OkStatus();
    const std::string short_name = object + "." + service_.metadata.namespace_name;
    AddComponentRoutes(short_name, component, form, routes_);
    AddComponentRoutes(short_name + ".svc", component, form, routes_);
    return base::OkStatus();
  }

  // Adds the routes of the service itself, by host and by path.
  base::Status AddService(const ComponentShares& component, const gateway::Route& form) {
    INFERD_RETURN_IF_ERROR(AddHosts(service_.metadata.name, component, form));
    INFERD_ASSIGN_OR_RETURN(const std::string path, model::ExternalPath(service_, names_.config));
    if (path.empty()) return base::OkStatus();
    gateway::Route below = form;
    below.strip_prefix = path;
    below.path_prefix = path + (form.path_prefix.empty() ? "/" : form.path_prefix);
    AddComponentRoutes("*", component, std::move(below), routes_);
    return base::OkStatus();
  }

 private:
  const InferenceService& service_;
  const HostNames& names_;
  gateway::RouteList& routes_;
};

}  // namespace

void AddComponentRoutes(const std::string& host, const ComponentShares& component, gateway::Route form,
                        gateway::RouteList& routes) {
  if (component.destinations.empty()) return;
  form.timeout = component.timeout;
  form.wait_timeout = component.timeout;
  form.destinations = component.destinations;
  routes.push_back({host, form});
  for (const gateway::Destination& destination : component.destinations) {
    if (destination.tag.empty() || host == "*") continue;
    gateway::Route tagged = form;
    tagged.destinations = {{.backend = destination.backend, .percent = kAll, .tag = destination.tag}};
    routes.push_back({destination.tag + "-" + host, std::move(tagged)});
  }
}

base::Status AddServiceRoutes(const InferenceService& service, std::span<const ComponentShares> components,
                              const HostNames& names, gateway::RouteList& routes) {
  ServiceRoutes made(service, names, routes);
  if (const ComponentShares* const explainer = Find(components, ComponentKind::kExplainer)) {
    for (const auto& [prefix, suffix] : kExplanations) {
      gateway::Route form;
      form.path_prefix = prefix;
      form.path_suffix = suffix;
      INFERD_RETURN_IF_ERROR(made.AddService(*explainer, form));
    }
  }
  const ComponentShares* const transformer = Find(components, ComponentKind::kTransformer);
  const ComponentShares* const first =
      transformer != nullptr ? transformer : Find(components, ComponentKind::kPredictor);
  if (first != nullptr) INFERD_RETURN_IF_ERROR(made.AddService(*first, {}));
  for (const ComponentShares& component : components) {
    INFERD_RETURN_IF_ERROR(made.AddHosts(ComponentObjectName(service, component.kind), component, {}));
  }
  return base::OkStatus();
}

}  // namespace inferd::gateway

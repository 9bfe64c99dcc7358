#pragma once

#include <chrono>
#include <span>
#include <string>
#include <vector>

#include "base/status.h"
#include "kserve/gateway/route_table.h"
#include "kserve/model/api/inference_service.h"
#include "kserve/model/api/inference_service_config.h"
#include "kserve/model/pods/pod_resolution.h"

namespace inferd::gateway {

// How the requests of a component are split.
struct ComponentShares {
  model::ComponentKind kind = model::ComponentKind::kPredictor;
  std::vector<gateway::Destination> destinations = {};  // empty: nothing of it can take requests yet
  std::chrono::milliseconds timeout{300'000};           // until a response has begun, and before, for a replica
};

// Requests to `host` as `form` says (path, prefix to strip) go to the component; with hosts of their own for
// destinations that have a tag ("prev-HOST"), if `host` is none that stands for all. None where it has no destinations.
void AddComponentRoutes(const std::string& host, const ComponentShares& component, gateway::Route form,
                        gateway::RouteList& routes);

// How a service is called.
struct HostNames {
  const model::InferenceServiceConfig& config;
  // "iris.models" and "iris.models.svc", too, as programs of a cluster may call it.
  bool short_names = false;
};

// The routes of a service by its hosts and its path, from outside and from within the cluster (KServe: its
// VirtualService): explanations go to its explainer, all else to its transformer or, without one, its predictor; and to
// each component by the component's own hosts. INVALID_ARGUMENT: the configuration's templates make no host or path;
// then some of the routes may be missing. Thread-safe, as is the other.
base::Status AddServiceRoutes(const model::InferenceService& service, std::span<const ComponentShares> components,
                              const HostNames& names, gateway::RouteList& routes);

}  // namespace inferd::gateway

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

// The destinations of a component's requests.
struct ComponentShares {
  model::ComponentKind kind = model::ComponentKind::kPredictor;
  std::vector<gateway::Destination> destinations = {};  // empty while nothing can take requests
  std::chrono::milliseconds timeout{300'000};           // until a response begins, and also for a free replica
};

// Adds routes for the requests to `host` that match `form` (path, prefix to strip). Unless `host` is "*", each
// destination with a tag also gets a host of its own ("prev-HOST"). Adds nothing if the component has no destinations.
void AddComponentRoutes(const std::string& host, const ComponentShares& component, gateway::Route form,
                        gateway::RouteList& routes);

// The hosts that a service has.
struct HostNames {
  const model::InferenceServiceConfig& config;
  // Adds "iris.models" and "iris.models.svc", which programs in a cluster may use.
  bool short_names = false;
};

// Adds the routes of a service by hosts and by path, from outside and from within the cluster (KServe: its
// VirtualService). Explanations go to its explainer, other requests to its transformer or, without one, to its
// predictor. Each component also has hosts of its own. INVALID_ARGUMENT if the configuration's templates give no valid
// host or path; some routes may then be missing. Thread-safe, like AddComponentRoutes.
base::Status AddServiceRoutes(const model::InferenceService& service, std::span<const ComponentShares> components,
                              const HostNames& names, gateway::RouteList& routes);

}  // namespace inferd::gateway

#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/status.h"
#include "data/manifest/value.h"
#include "kserve/model/api/inference_service.h"
#include "kserve/model/api/inference_service_config.h"
#include "kserve/model/pods/pod_resolution.h"
#include "kserve/model/reconcile/object_parts.h"

namespace inferd::model {

// The target of requests from outside: a port of a Service.
struct OutsideTarget {
  std::string service;
  manifest::Value port;
  int64_t timeout_s = 0;  // of a request; 0 for no limit
};

// An external host, and its targets.
struct OutsideHost {
  std::string object;  // the object that gives the host its name
  OutsideTarget target;
  std::optional<OutsideTarget> explainer = {};  // the target of V1's `:explain`
};

// Returns the objects that route requests from outside to the hosts of a service or a graph in raw mode:
//
// - An Ingress, if the configuration names a class or a domain. Without both, no Ingress controller would take it, and
//   no host would be reachable.
// - An HTTPRoute for each host instead, if the configuration sets `enableGatewayApi`. It routes V1's `:explain` to the
//   explainer, and applies the target's timeout to requests.
// - Nothing if the configuration sets `disableIngressCreation`, or if the owner's label
//   `networking.kserve.io/visibility` or `networking.knative.dev/visibility` is "cluster-local".
//
// INVALID_ARGUMENT if the configuration's domainTemplate does not give a domain name. Thread-safe, as is the other.
base::Result<std::vector<manifest::Value>> OutsideRoutes(const ObjectOwner& owner, std::span<const OutsideHost> hosts,
                                                         const InferenceServiceConfig& config);

// Does the same for a service. Its own host leads to the transformer or, without one, to the predictor. Each component
// has its own host.
base::Result<std::vector<manifest::Value>> OutsideRoutes(const InferenceService& service,
                                                         std::span<const ResolvedPod> pods,
                                                         const InferenceServiceConfig& config);

}  // namespace inferd::model

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

// A port of a Service that requests from outside go to.
struct OutsideTarget {
  std::string service;
  manifest::Value port;
  int64_t timeout_s = 0;  // of a request; 0: nothing holds it to one
};

// A host from outside, and what answers there.
struct OutsideHost {
  std::string object;  // that the host is named after
  OutsideTarget target;
  std::optional<OutsideTarget> explainer = {};  // of V1's `:explain`
};

// What leads requests from outside to hosts of a service or a graph in raw mode.
//
// - An Ingress, where the configuration names a class or a domain: without both there is no controller of Ingresses to
//   take it, and no host that is anywhere.
// - In its place an HTTPRoute for each host, where the configuration says `enableGatewayApi`. It leads V1's `:explain`
//   to the explainer, and holds requests to the target's timeout.
// - Nothing where the configuration says `disableIngressCreation`, or the owner's label
//   `networking.kserve.io/visibility` or `networking.knative.dev/visibility` "cluster-local".
//
// INVALID_ARGUMENT: the configuration's domainTemplate makes no domain name. Thread-safe, as is the other.
base::Result<std::vector<manifest::Value>> OutsideRoutes(const ObjectOwner& owner, std::span<const OutsideHost> hosts,
                                                         const InferenceServiceConfig& config);

// The same for a service: its own host leads to the transformer or, without one, to the predictor, and a host to each
// component.
base::Result<std::vector<manifest::Value>> OutsideRoutes(const InferenceService& service,
                                                         std::span<const ResolvedPod> pods,
                                                         const InferenceServiceConfig& config);

}  // namespace inferd::model

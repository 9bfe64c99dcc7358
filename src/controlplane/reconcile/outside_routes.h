#pragma once

#include <span>
#include <vector>

#include "base/status.h"
#include "controlplane/api/inference_service.h"
#include "controlplane/api/inference_service_config.h"
#include "controlplane/pods/pod_resolution.h"
#include "manifest/value.h"

namespace inferd::controlplane {

// What leads requests from outside to a service in raw mode: its own host to the transformer or, without one, the
// predictor, and a host to each component.
//
// - An Ingress, where the configuration names a class or a domain: without both there is no controller of Ingresses to
//   take it, and no host that is anywhere.
// - In its place an HTTPRoute for each host, where the configuration says `enableGatewayApi`. The service's own leads
//   V1's `:explain` to the explainer, and holds requests to the component's `timeout`.
// - Nothing where the configuration says `disableIngressCreation`, or the service's label
//   `networking.kserve.io/visibility` or `networking.knative.dev/visibility` "cluster-local".
//
// INVALID_ARGUMENT: the configuration's domainTemplate makes no domain name. Thread-safe.
base::Result<std::vector<manifest::Value>> OutsideRoutes(const InferenceService& service,
                                                         std::span<const ResolvedPod> pods,
                                                         const InferenceServiceConfig& config);

}  // namespace inferd::controlplane

#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/status.h"
#include "data/manifest/value.h"
#include "kserve/model/api/inference_service.h"
#include "kserve/model/api/inference_service_config.h"
#include "kserve/model/pods/pod_resolution.h"
#include "kserve/model/resolve/traffic.h"

namespace inferd::model {

// What leads to a cluster's gateway (inferd-gateway), where there is no Knative. Thread-safe, all of them.

// Whether the requests of a service go through the gateway: in serverless mode where the cluster has no Knative, and in
// raw mode where a component has a canary or tags, which Services cannot do.
bool UsesGateway(const InferenceService& service, std::span<const ResolvedPod> pods, DeploymentMode mode,
                 bool cluster_has_knative);

// A name of a service or a component, within the cluster: a Service that stands for the gateway's ("ExternalName"),
// which finds the requests' revision by the name that they were sent to. `gateway_host`:
// "inferd-gateway.kserve.svc.cluster.local".
manifest::Value GatewayNameOf(const InferenceService& service, const std::string& name,
                              const std::string& gateway_host);

// Those of a component: its own, and one for each tag of its traffic, as "prev-iris-predictor-default".
std::vector<manifest::Value> GatewayComponentNames(const InferenceService& service, ComponentKind kind,
                                                   const std::vector<TrafficTarget>& traffic,
                                                   const std::string& gateway_host);

// The Ingress that leads the hosts of the service and its components to the gateway, by way of the service's own name.
// INVALID_ARGUMENT: the configuration's domainTemplate makes no domain name.
base::Result<manifest::Value> GatewayIngress(const InferenceService& service, std::span<const ResolvedPod> pods,
                                             const InferenceServiceConfig& config);

}  // namespace inferd::model

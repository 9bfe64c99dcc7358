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

// Objects that lead requests to a cluster's gateway (inferd-gateway), for clusters without Knative. All functions are
// thread-safe.

// Returns true if the requests of a service go through the gateway: in serverless mode if the cluster has no Knative,
// and in raw mode if a component has a canary or tags, which Services cannot express.
bool UsesGateway(const InferenceService& service, std::span<const ResolvedPod> pods, DeploymentMode mode,
                 bool cluster_has_knative);

// Returns a Service that makes `name`, of a service or a component, an alias of the gateway's host within the cluster
// ("ExternalName"). The gateway finds the revision by the host name of the request. `gateway_host`:
// "inferd-gateway.kserve.svc.cluster.local".
manifest::Value GatewayNameOf(const InferenceService& service, const std::string& name,
                              const std::string& gateway_host);

// Returns the aliases of a component: its own name, and one for each tag of its traffic, such as
// "prev-iris-predictor-default".
std::vector<manifest::Value> GatewayComponentNames(const InferenceService& service, ComponentKind kind,
                                                   const std::vector<TrafficTarget>& traffic,
                                                   const std::string& gateway_host);

// Returns the Ingress that leads the external hosts of the service and its components to the gateway, through the
// service's alias. INVALID_ARGUMENT if the configuration's domainTemplate does not give a domain name.
base::Result<manifest::Value> GatewayIngress(const InferenceService& service, std::span<const ResolvedPod> pods,
                                             const InferenceServiceConfig& config);

}  // namespace inferd::model

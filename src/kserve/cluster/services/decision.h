#pragma once

#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "data/manifest/value.h"
#include "kserve/cluster/objects/cluster_view.h"
#include "kserve/cluster/services/served_way.h"
#include "kserve/model/api/inference_service.h"
#include "kserve/model/reconcile/desired_objects.h"
#include "kserve/model/reconcile/revision_plan.h"
#include "kserve/model/status/service_state.h"

namespace inferd::cluster {

// By what is decided about an InferenceService, beside itself.
struct DecisionContext {
  const Configuration& configuration;
  std::span<const model::ServingRuntime* const> runtimes;
  std::span<const model::TrainedModel* const> models;  // those that name it
  bool has_knative = false;                            // serving.knative.dev/v1
  bool has_istio = false;                              // networking.istio.io/v1alpha3
  bool has_gateway_api = false;                        // gateway.networking.k8s.io/v1
  model::TemplateInjection injection{};                // into the templates of pods
  std::string gateway_host{};  // of inferd-gateway, for clusters without Knative; empty: there is none
  std::span<const manifest::Value* const> deployments{};  // that the service has now
  ServedWay served{};                                     // how it is served now
};

// What is to become of a service.
struct Decision {
  bool ours = true;                 // false: another controller's (the deployment mode ModelMesh)
  model::InferenceService service;  // with its defaults
  model::DesiredObjects desired;    // none where it has failed: what is there goes on
  std::optional<model::ResolutionFailure> failure;
  std::optional<model::ObservedCondition> ingress;   // what is missing for it; nullopt: nothing is
  std::vector<std::string> unheeded;                 // fields that do nothing, of it and of its runtime
  std::optional<model::ObservedCondition> kept_way;  // why it is not served as a new one would be; nullopt: it is
  // Where requests go through the gateway: the revisions of each component, and the names of those that stay as they
  // are.
  std::map<model::ComponentKind, model::RevisionPlan> plans;
  std::set<std::string> kept;
};

// Why an object cannot be decided about: by the configuration, by what was wrong when it was read, or by what a webhook
// would deny. `reason`: of the last two.
std::optional<model::ResolutionFailure> FailureOf(const Configuration& configuration, const manifest::Problems& reading,
                                                  const manifest::Problems& validation, const char* reason);

// Leaves out objects of an API that the cluster does not have, and says what to do; nullopt: there are none.
std::optional<model::ObservedCondition> LeaveOut(const kubernetes::Resource& missing, const char* reason,
                                                 const std::string& advice, std::vector<manifest::Value>& objects);
// Likewise, HTTPRoutes where the cluster has no Gateway API.
std::optional<model::ObservedCondition> LeaveOutRoutes(bool has_gateway_api, std::vector<manifest::Value>& objects);

// Decides about a service as it stands in the cluster: reads, defaults and validates it, as the webhooks do where they
// are installed, and makes its objects. Pure; thread-safe.
Decision Decide(const manifest::Value& document, const DecisionContext& context);

}  // namespace inferd::cluster

#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "data/manifest/value.h"
#include "kserve/cluster/guard/change_cause.h"
#include "kserve/cluster/objects/cluster_view.h"
#include "kserve/cluster/services/served_way.h"
#include "kserve/cluster/services/way_move.h"
#include "kserve/model/api/inference_service.h"
#include "kserve/model/reconcile/desired_objects.h"
#include "kserve/model/reconcile/revision_plan.h"
#include "kserve/model/status/service_state.h"

namespace inferd::cluster {

// The inputs of a decision about an InferenceService, in addition to its document.
struct DecisionContext {
  const Configuration& configuration;
  std::span<const model::ServingRuntime* const> runtimes;
  std::span<const model::TrainedModel* const> models;  // that name the service
  bool has_knative = false;                            // serving.knative.dev/v1
  bool has_istio = false;                              // networking.istio.io/v1alpha3
  bool has_gateway_api = false;                        // gateway.networking.k8s.io/v1
  model::TemplateInjection injection{};                // injected into pod templates
  std::string gateway_host{};  // of inferd-gateway, for clusters without Knative; empty if not installed
  std::span<const manifest::Value* const> deployments{};       // that the service has now
  std::span<const manifest::Value* const> knative_services{};  // likewise
  ServedWay served{};                                          // the way in which it is served now
};

// The decision about a service.
struct Decision {
  bool ours = true;                 // false if another controller manages it (the deployment mode ModelMesh)
  model::InferenceService service;  // with defaults
  model::DesiredObjects desired;    // empty after a failure; the live objects then stay
  std::optional<model::ResolutionFailure> failure;
  std::optional<model::ObservedCondition> ingress;   // the routing problem, if any
  std::vector<std::string> unheeded;                 // fields of the service and its runtime that have no effect
  std::optional<model::ObservedCondition> kept_way;  // why it is not served as a new service would be; nullopt if it is
  std::optional<WayMove> move;                       // set while objects of another way of serving remain
  // For services behind the gateway: the revisions of each component, and the names of revisions that stay unchanged.
  std::map<model::ComponentKind, model::RevisionPlan> plans;
  std::set<std::string> kept;
  DecisionInputs inputs{};  // the inputs of this decision, for ChangeGuard
};

// Returns the filter for ObjectSet::goes: which unwanted objects of the service may be deleted now. Empty if all may.
// Refers to the decision.
std::function<bool(const LabelledObject&)> WhatGoes(const Decision& decision);

// Returns why no decision can be made: the configuration is unusable, the object was malformed, or a webhook would deny
// it. `reason` is used for the last two.
std::optional<model::ResolutionFailure> FailureOf(const Configuration& configuration, const manifest::Problems& reading,
                                                  const manifest::Problems& validation, const char* reason);

// Removes the objects of an API that the cluster lacks from `objects`. Returns a condition that says what to do, or
// nullopt if there were none.
std::optional<model::ObservedCondition> LeaveOut(const kubernetes::Resource& missing, const char* reason,
                                                 const std::string& advice, std::vector<manifest::Value>& objects);
// Likewise for HTTPRoutes, if the cluster lacks the Gateway API.
std::optional<model::ObservedCondition> LeaveOutRoutes(bool has_gateway_api, std::vector<manifest::Value>& objects);

// Decides about a service. Reads, defaults and validates its document, as the webhooks do where they are installed, and
// creates its objects. Pure; thread-safe.
Decision Decide(const manifest::Value& document, const DecisionContext& context);

}  // namespace inferd::cluster

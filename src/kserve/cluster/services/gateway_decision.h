#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "data/manifest/value.h"
#include "kserve/cluster/guard/destruction.h"
#include "kserve/cluster/services/decision.h"
#include "kserve/model/reconcile/revision_plan.h"
#include "kserve/model/status/service_state.h"

namespace inferd::cluster {

// Routes the requests of a service through the cluster's gateway (inferd-gateway), if the cluster has one and the
// service needs it: in serverless mode without Knative, and in raw mode with canaries or tags
// (kserve/model/reconcile/gateway_objects.h). The components then become revisions, and their names lead to the
// gateway. `document` is the service as stored in the cluster. `has_knative` is true if the service may use Knative.
// Pure; thread-safe, like the other functions of this file.
void DecideByGateway(const manifest::Value& document, const DecisionContext& context, bool has_knative,
                     Decision& decision);

// Returns the plan of a component's revisions while no decision about its service is possible. The plan has the traffic
// shares of the service's status, which gateways follow. `document` is the service as stored in the cluster.
model::RevisionPlan PlanAsWritten(const manifest::Value& document, model::ComponentKind kind);

// Returns true if one of the Deployments is a revision of the component ("iris-predictor-default").
bool HasRevisions(std::span<const manifest::Value* const> deployments, std::string_view component);

// Returns the components with revisions, for ChangeGuard.
std::vector<RevisedComponent> RevisedOf(const Decision& decision, std::span<const manifest::Value* const> deployments);

// Computes the state of a component with revisions.
model::ComponentState ObserveRevisions(model::ComponentKind kind, const model::RevisionPlan& plan,
                                       std::span<const manifest::Value* const> pods);

}  // namespace inferd::cluster

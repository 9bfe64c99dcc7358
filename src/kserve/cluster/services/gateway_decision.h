#pragma once

#include <span>
#include <string_view>

#include "data/manifest/value.h"
#include "kserve/cluster/services/decision.h"
#include "kserve/model/reconcile/revision_plan.h"
#include "kserve/model/status/service_state.h"

namespace inferd::cluster {

// Has a decided service's requests go through the cluster's gateway (inferd-gateway), where they are to and the cluster
// has one: in serverless mode without Knative, and in raw mode with canaries or tags
// (kserve/model/reconcile/gateway_objects.h). Its components are revisions then, and the names that lead to them lead
// to the gateway. `document`: the service as it stands in the cluster. Pure; thread-safe, as are the others.
// `has_knative`: the service may use it.
void DecideByGateway(const manifest::Value& document, const DecisionContext& context, bool has_knative,
                     Decision& decision);

// What goes on of a component's revisions while nothing can be decided about its service: the shares that the service's
// status has, by which gateways go. `document`: the service as it stands in the cluster.
model::RevisionPlan PlanAsWritten(const manifest::Value& document, model::ComponentKind kind);

// Whether one of the Deployments is a revision of the component, "iris-predictor-default".
bool HasRevisions(std::span<const manifest::Value* const> deployments, std::string_view component);

// What has become of a component that has revisions.
model::ComponentState ObserveRevisions(model::ComponentKind kind, const model::RevisionPlan& plan,
                                       std::span<const manifest::Value* const> pods);

}  // namespace inferd::cluster

#pragma once

#include <span>
#include <string_view>

#include "controlplane/reconcile/revision_plan.h"
#include "controlplane/status/service_state.h"
#include "manifest/value.h"
#include "operator/services/decision.h"

namespace inferd::operators {

// Has a decided service's requests go through the cluster's gateway (inferd-gateway), where they are to and the cluster
// has one: in serverless mode without Knative, and in raw mode with canaries or tags
// (controlplane/reconcile/gateway_objects.h). Its components are revisions then, and the names that lead to them lead
// to the gateway. `document`: the service as it stands in the cluster. Pure; thread-safe, as are the others.
void DecideByGateway(const manifest::Value& document, const DecisionContext& context, Decision& decision);

// What goes on of a component's revisions while nothing can be decided about its service: the shares that the service's
// status has, by which gateways go. `document`: the service as it stands in the cluster.
controlplane::RevisionPlan PlanAsWritten(const manifest::Value& document, controlplane::ComponentKind kind);

// Whether one of the Deployments is a revision of the component, "iris-predictor-default".
bool HasRevisions(std::span<const manifest::Value* const> deployments, std::string_view component);

// What has become of a component that has revisions.
controlplane::ComponentState ObserveRevisions(controlplane::ComponentKind kind, const controlplane::RevisionPlan& plan,
                                              std::span<const manifest::Value* const> pods);

}  // namespace inferd::operators

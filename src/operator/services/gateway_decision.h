#pragma once

#include <span>

#include "controlplane/reconcile/revision_plan.h"
#include "controlplane/status/service_state.h"
#include "manifest/value.h"
#include "operator/services/decision.h"

namespace inferd::operators {

// Has a decided service's requests go through the cluster's gateway (inferd-gateway), where they are to and the cluster
// has one: in serverless mode without Knative, and in raw mode with canaries or tags
// (controlplane/reconcile/gateway_objects.h). Its components are revisions then, and the names that lead to them lead
// to the gateway. `document`: the service as it stands in the cluster. Pure; thread-safe, as is the other.
void DecideByGateway(const manifest::Value& document, const DecisionContext& context, Decision& decision);

// What has become of a component that has revisions.
controlplane::ComponentState ObserveRevisions(controlplane::ComponentKind kind, const controlplane::RevisionPlan& plan,
                                              std::span<const manifest::Value* const> pods);

}  // namespace inferd::operators

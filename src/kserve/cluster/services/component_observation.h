#pragma once

#include <span>
#include <string>

#include "data/manifest/value.h"
#include "kserve/model/api/inference_service.h"
#include "kserve/model/pods/pod_resolution.h"
#include "kserve/model/status/service_state.h"
#include "kserve/model/status/service_status.h"

namespace inferd::cluster {

// The live objects of a component.
struct FoundComponent {
  model::ComponentKind kind = model::ComponentKind::kPredictor;
  std::string object;                            // name of its Deployment or Knative Service
  const manifest::Value* live = nullptr;         // that object; null if it does not exist
  std::span<const manifest::Value* const> pods;  // all pods of the component
  model::WrittenRollout written;                 // the rollout in the service's current status
};

// Computes the state of a component in raw mode from its Deployment and its pods. The revision's name comes from the
// Deployment (deployment.kubernetes.io/revision). During a rollout, the pods of the old template count as a revision
// that was ready. The condition is the Deployment's Available (KServe 0.10), with the failure that the pods report.
// Thread-safe, like ObserveKnativeService.
model::ComponentState ObserveDeployment(const FoundComponent& found);

// Computes the state of a component in serverless mode. Conditions, revisions, traffic and URL come from its Knative
// Service.
model::ComponentState ObserveKnativeService(const FoundComponent& found);

}  // namespace inferd::cluster

#pragma once

#include <span>
#include <string>

#include "data/manifest/value.h"
#include "kserve/model/api/inference_service.h"
#include "kserve/model/pods/pod_resolution.h"
#include "kserve/model/status/service_state.h"
#include "kserve/model/status/service_status.h"

namespace inferd::cluster {

// A component as it is found in a cluster.
struct FoundComponent {
  model::ComponentKind kind = model::ComponentKind::kPredictor;
  std::string object;                            // what its Deployment or Knative Service is called
  const manifest::Value* live = nullptr;         // that object; null: it is not there
  std::span<const manifest::Value* const> pods;  // all that the component has
  model::WrittenRollout written;                 // what its service's status said before
};

// What has become of a component in raw mode, by its Deployment and its pods. Its revision is the Deployment's
// (deployment.kubernetes.io/revision); while another is on its way, the pods of before are one that was ready. The
// condition is the Deployment's Available (KServe 0.10), with what its pods say of why it is not. Thread-safe, as is
// the other.
model::ComponentState ObserveDeployment(const FoundComponent& found);

// The same in serverless mode, by its Knative Service: conditions, revisions, traffic and URL are those that it has.
model::ComponentState ObserveKnativeService(const FoundComponent& found);

}  // namespace inferd::cluster

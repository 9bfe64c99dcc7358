#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>

#include "data/manifest/value.h"
#include "kserve/cluster/objects/labelled_objects.h"
#include "kserve/cluster/services/component_observation.h"
#include "kserve/cluster/services/served_way.h"
#include "kserve/model/api/inference_service.h"
#include "kserve/model/reconcile/desired_objects.h"
#include "kserve/model/reconcile/revision_plan.h"

namespace inferd::cluster {

// The kinds of objects that route a service's requests to its pods.
enum class ServedBy : uint8_t { kDeployment, kGateway, kKnative };

// A service's move from one way of serving to another, requested by its annotation or its spec. The objects of the old
// way stay, and receive the requests, until those of the new way are ready.
struct WayMove {
  enum class Step : uint8_t {
    kPrepare,    // pods of the new way are created; names still lead to the old way
    kFreeNames,  // pods of Knative are ready; components' Services go, as Knative creates its own of these names
    kShow,       // pods behind the gateway are ready; the status says so, and the gateway follows it
    kFinish,     // the new way is ready: names lead to it, and the old way's objects are deleted
  };

  ServedBy before = ServedBy::kDeployment;
  model::DeploymentMode mode = model::DeploymentMode::kRawDeployment;  // the mode of the old way
  Step step = Step::kPrepare;
  std::string waits_for{};  // text for people, in kPrepare and kFreeNames

  // True if the status must describe the old way.
  bool observes_before() const { return step == Step::kPrepare || step == Step::kFreeNames; }
};

// The condition of a service or a graph that is not served as a new one would be.
inline constexpr const char* kWayNotice = "WayCurrent";

// Returns that condition for a move whose requests still go to the old way. `wanted` is the mode of the new way.
model::ObservedCondition MovingNotice(const WayMove& move, model::DeploymentMode wanted);

// The step that one Deployment or Knative Service of the new way has reached.
struct ReachedStep {
  WayMove::Step step = WayMove::Step::kPrepare;
  std::string waits_for;  // text for people; meaningless in kFinish
};
// Computes it. `by` is kDeployment or kKnative. Pure; thread-safe, like the other functions of this file.
ReachedStep StepReached(ServedBy by, const FoundComponent& found);

// The new way of a service. Refers to its parts.
struct NewWay {
  ServedBy by = ServedBy::kDeployment;
  const model::InferenceService& service;
  std::span<const model::ResolvedPod> pods;
  const std::map<model::ComponentKind, model::RevisionPlan>& plans;
  std::span<const manifest::Value* const> deployments;  // that the service has now
  std::span<const manifest::Value* const> knative_services;
};

// Returns the old way: the way other than `by` in which the service is still served. Nullopt if there is none.
// `document` is the service as stored in the cluster.
std::optional<ServedBy> ServedBefore(const manifest::Value& document, const ServedWay& served, ServedBy by);

// Returns the deployment mode of a service with that way of serving.
model::DeploymentMode ModeOfWay(const manifest::Value& document, ServedBy by);

// Returns true if a canary shares a component's requests with the previous revision. A move would lose these shares.
bool SharesRequests(const manifest::Value& document, std::span<const model::ResolvedPod> pods);

// Computes the step that the move has reached.
WayMove PlanMove(const manifest::Value& document, ServedBy before, const NewWay& now);

// Removes from `objects` those that would take a name that the old way still needs.
void LeaveOutNames(const NewWay& now, std::vector<manifest::Value>& objects);

// Returns true if an unwanted object may be deleted at that step.
bool GoesAt(const WayMove& move, const model::InferenceService& service, const LabelledObject& stray);

}  // namespace inferd::cluster

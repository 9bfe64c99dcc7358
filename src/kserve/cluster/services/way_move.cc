#include "kserve/cluster/services/way_move.h"

#include <algorithm>
#include <array>
#include <set>
#include <utility>
#include <vector>

#include "data/manifest/value_path.h"
#include "kserve/cluster/objects/resources.h"
#include "kserve/cluster/services/component_observation.h"
#include "kserve/model/status/service_status.h"

namespace inferd::cluster {

namespace {

using manifest::TextAt;
using manifest::Value;
using model::ComponentKind;
using model::DeploymentMode;
using Step = WayMove::Step;

constexpr int64_t kWholePercent = 100;

// Only serverless components have a condition for routes.
bool HasRoutes(const Value& document) {
  const Value* const status = document.Find("status");
  return status != nullptr && !model::ConditionOf(*status, "PredictorRouteReady").empty();
}

const Value* FindNamed(std::span<const Value* const> objects, const std::string& name) {
  const auto found =
      std::ranges::find_if(objects, [&](const Value* object) { return TextAt(*object, {"metadata", "name"}) == name; });
  return found == objects.end() ? nullptr : *found;
}

std::set<std::string> ComponentNames(const model::InferenceService& service) {
  std::set<std::string> names;
  for (const ComponentKind kind : {ComponentKind::kPredictor, ComponentKind::kTransformer, ComponentKind::kExplainer}) {
    names.insert(ComponentObjectName(service, kind));
  }
  return names;
}

// Computes the step that one component's pods have reached.
ReachedStep StepOf(const Value& document, const NewWay& now, const model::ResolvedPod& pod) {
  const std::string object = ComponentObjectName(now.service, pod.kind);
  if (now.by != ServedBy::kGateway) {
    const auto& objects = now.by == ServedBy::kDeployment ? now.deployments : now.knative_services;
    return StepReached(
        now.by, {.kind = pod.kind, .object = object, .live = FindNamed(objects, object), .pods = {}, .written = {}});
  }
  const auto plan = now.plans.find(pod.kind);
  if (plan == now.plans.end() || plan->second.rollout.latest_ready.empty()) {
    return {.step = Step::kPrepare, .waits_for = "no revision of \"" + object + "\" is ready yet"};
  }
  const bool is_shown = model::ReadTraffic(document, pod.kind) == plan->second.traffic;
  return {.step = is_shown ? Step::kFinish : Step::kShow, .waits_for = {}};
}

}  // namespace

model::ObservedCondition MovingNotice(const WayMove& move, DeploymentMode wanted) {
  const std::string mode(model::DeploymentModeName(wanted));
  return {
      .status = "False",
      .reason = "MovingToAnotherWay",
      .message = "it goes on as it was served before until its new pods (" + mode + ") are ready: " + move.waits_for};
}

ReachedStep StepReached(ServedBy by, const FoundComponent& found) {
  const bool raw = by == ServedBy::kDeployment;
  const std::string kind = raw ? "Deployment" : "Knative Service";
  ReachedStep reached = {.step = Step::kPrepare,
                         .waits_for = "the " + kind + " \"" + found.object + "\" is not ready yet"};
  const model::ComponentState state = raw ? ObserveDeployment(found) : ObserveKnativeService(found);
  const auto is_true = [](const model::ObservedCondition& condition) { return condition.status == "True"; };
  if (!state.observed.has_value()) return reached;
  const bool rolled_out = !raw || (!state.traffic.empty() && state.traffic.front().latest);
  if (is_true(state.observed->ready) && rolled_out) reached.step = Step::kFinish;
  if (!raw && reached.step != Step::kFinish && is_true(state.observed->configuration)) reached.step = Step::kFreeNames;
  return reached;
}

std::optional<ServedBy> ServedBefore(const Value& document, const ServedWay& served, ServedBy by) {
  std::vector<ServedBy> ways;
  // A service with objects of two other ways was moving between them. Its status tells which of them has the requests.
  const bool routes = HasRoutes(document);
  const auto add = [&](bool is, ServedBy way, bool serverless) {
    if (is && way != by) ways.insert(serverless == routes ? ways.begin() : ways.end(), way);
  };
  add(served.by_deployment, ServedBy::kDeployment, false);
  add(served.by_gateway, ServedBy::kGateway, true);
  add(served.by_knative, ServedBy::kKnative, true);
  return ways.empty() ? std::nullopt : std::optional(ways.front());
}

DeploymentMode ModeOfWay(const Value& document, ServedBy by) {
  if (by == ServedBy::kDeployment) return DeploymentMode::kRawDeployment;
  if (by == ServedBy::kKnative) return DeploymentMode::kServerless;
  return HasRoutes(document) ? DeploymentMode::kServerless : DeploymentMode::kRawDeployment;
}

bool SharesRequests(const Value& document, std::span<const model::ResolvedPod> pods) {
  return std::ranges::any_of(pods, [&](const model::ResolvedPod& pod) {
    if (pod.extension.canary_traffic_percent.value_or(kWholePercent) >= kWholePercent) return false;
    return std::ranges::any_of(model::ReadTraffic(document, pod.kind),
                               [](const model::TrafficTarget& target) { return !target.latest && target.percent > 0; });
  });
}

WayMove PlanMove(const Value& document, ServedBy before, const NewWay& now) {
  WayMove move{.before = before, .mode = ModeOfWay(document, before), .step = Step::kFinish};
  for (const model::ResolvedPod& pod : now.pods) {
    ReachedStep reached = StepOf(document, now, pod);
    if (reached.step >= move.step) continue;
    move.step = reached.step;
    move.waits_for = std::move(reached.waits_for);
  }
  return move;
}

void LeaveOutNames(const NewWay& now, std::vector<Value>& objects) {
  const std::set<std::string> components = ComponentNames(now.service);
  const auto takes_none = [&](const Value& object) {
    const std::string& kind = TextAt(object, {"kind"});
    const kubernetes::Resource* const resource = WrittenResourceOf(object);
    if (resource != nullptr && *resource == KnativeServices()) return true;
    if (kind != "Service") return kind == "ConfigMap" || kind == "Deployment" || kind == "HorizontalPodAutoscaler";
    // A revision's own Service has the same name as its Deployment.
    const std::string& name = TextAt(object, {"metadata", "name"});
    return !components.contains(name) && std::ranges::any_of(objects, [&](const Value& other) {
      return TextAt(other, {"kind"}) == "Deployment" && TextAt(other, {"metadata", "name"}) == name;
    });
  };
  std::vector<Value> left;
  for (const Value& object : objects) {
    if (takes_none(object)) left.push_back(object);
  }
  objects = std::move(left);
}

bool GoesAt(const WayMove& move, const model::InferenceService& service, const LabelledObject& stray) {
  if (move.step == Step::kFinish) return true;
  if (move.step != Step::kFreeNames) return false;
  return *stray.resource == PlainServices() &&
         ComponentNames(service).contains(TextAt(*stray.object, {"metadata", "name"}));
}

}  // namespace inferd::cluster

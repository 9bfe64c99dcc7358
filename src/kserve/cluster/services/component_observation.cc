#include "kserve/cluster/services/component_observation.h"

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "data/manifest/fields.h"
#include "data/manifest/value_path.h"
#include "kserve/cluster/services/pod_status.h"

namespace inferd::cluster {

namespace {

using manifest::FieldAt;
using manifest::TextAt;
using manifest::Value;
using model::ComponentState;
using model::ObservedCondition;
using model::RevisionState;

constexpr int64_t kAllRequests = 100;

int64_t NumberAt(const Value& value, std::initializer_list<std::string_view> keys) {
  return manifest::ParseInt64(TextAt(value, keys)).value_or(0);
}

const Value* FindCondition(const Value& object, std::string_view type) {
  const Value* const conditions = FieldAt(object, {"status", "conditions"});
  if (conditions == nullptr) return nullptr;
  const auto found = std::ranges::find_if(conditions->items(),
                                          [&](const Value& condition) { return TextAt(condition, {"type"}) == type; });
  return found == conditions->items().end() ? nullptr : &*found;
}

bool IsTrue(const Value* condition) { return condition != nullptr && TextAt(*condition, {"status"}) == "True"; }

ObservedCondition ConditionOf(const Value& object, std::string_view title, std::string_view type) {
  const Value* const found = FindCondition(object, type);
  if (found == nullptr) {
    return {.status = "Unknown",
            .reason = "NotObserved",
            .message = std::string(title) + " has no condition " + std::string(type) + " yet"};
  }
  return {.status = TextAt(*found, {"status"}),
          .reason = TextAt(*found, {"reason"}),
          .message = TextAt(*found, {"message"})};
}

ObservedCondition Missing(std::string_view title) {
  return {.status = "Unknown", .reason = "NotFound", .message = std::string(title) + " is not there yet"};
}

// Returns the failure or the reason for waiting of the first pod that reports one.
std::string ReasonOf(std::span<const Value* const> pods) {
  for (const Value* pod : pods) {
    const model::ReplicaStatus status = ReadPodStatus(*pod);
    if (!status.failure.empty()) return "pod \"" + status.name + "\": " + status.failure;
  }
  for (const Value* pod : pods) {
    if (std::string why = WhyPodWaits(*pod); !why.empty()) return why;
  }
  return {};
}

void Append(std::string& message, const std::string& more) {
  if (more.empty()) return;
  if (!message.empty()) message += message.ends_with('.') ? " " : ": ";
  message += more;
}

RevisionState RevisionOf(std::string name, bool was_ready, std::span<const Value* const> pods) {
  RevisionState revision{.name = std::move(name), .was_ready = was_ready, .replicas = {}};
  for (const Value* pod : pods) revision.replicas.push_back(ReadPodStatus(*pod));
  return revision;
}

// True if all pods of the Deployment have its current template.
bool IsRolledOut(const Value& deployment) {
  if (NumberAt(deployment, {"status", "observedGeneration"}) < NumberAt(deployment, {"metadata", "generation"})) {
    return false;
  }
  const Value* const progressing = FindCondition(deployment, "Progressing");
  if (progressing != nullptr && TextAt(*progressing, {"reason"}) == "NewReplicaSetAvailable") return true;
  const int64_t replicas = NumberAt(deployment, {"status", "replicas"});
  return replicas > 0 && NumberAt(deployment, {"status", "updatedReplicas"}) == replicas &&
         NumberAt(deployment, {"status", "availableReplicas"}) == replicas;
}

std::vector<model::TrafficTarget> TrafficOf(const Value& knative_service) {
  std::vector<model::TrafficTarget> targets;
  const Value* const traffic = FieldAt(knative_service, {"status", "traffic"});
  if (traffic == nullptr) return targets;
  for (const Value& item : traffic->items()) {
    const Value* const latest = item.Find("latestRevision");
    targets.push_back({.revision = TextAt(item, {"revisionName"}),
                       .latest = latest != nullptr && latest->boolean(),
                       .percent = NumberAt(item, {"percent"}),
                       .tag = TextAt(item, {"tag"})});
  }
  return targets;
}

std::vector<const Value*> PodsOfRevision(std::span<const Value* const> pods, const std::string& revision) {
  std::vector<const Value*> found;
  std::ranges::copy_if(pods, std::back_inserter(found), [&](const Value* pod) {
    return TextAt(*pod, {"metadata", "labels", "serving.knative.dev/revision"}) == revision;
  });
  return found;
}

}  // namespace

ComponentState ObserveDeployment(const FoundComponent& found) {
  ComponentState state{.kind = found.kind};
  state.rollout = found.written.rollout;
  const std::string title = "the Deployment \"" + found.object + "\"";
  if (found.live == nullptr) {
    state.observed = {.ready = Missing(title)};
    return state;
  }
  const Value& deployment = *found.live;
  ObservedCondition ready = ConditionOf(deployment, title, "Available");
  const bool available = ready.status == "True";
  const bool rolled_out = available && IsRolledOut(deployment);
  const std::string& number = TextAt(deployment, {"metadata", "annotations", "deployment.kubernetes.io/revision"});
  PodGenerations pods = SplitPods(found.pods);
  if (available && !rolled_out && !pods.earlier.empty()) {
    state.revisions.push_back(
        RevisionOf(TextAt(*pods.earlier.front(), {"metadata", "labels", "pod-template-hash"}), true, pods.earlier));
  }
  if (!number.empty() || !pods.newest.empty()) {
    state.revisions.push_back(RevisionOf(number.empty() ? "1" : number, rolled_out, pods.newest));
  }
  if (rolled_out && !number.empty()) state.rollout.latest_ready = number;
  if (!available) {
    const Value* const refused = FindCondition(deployment, "ReplicaFailure");
    Append(ready.message, IsTrue(refused) ? TextAt(*refused, {"message"}) : ReasonOf(pods.newest));
  } else {
    // As in KServe, a true condition has no reason.
    ready.reason.clear();
    ready.message.clear();
    const std::string& serving = rolled_out || state.rollout.latest_ready.empty() ? number : state.rollout.latest_ready;
    state.traffic = {{.revision = serving, .latest = rolled_out, .percent = kAllRequests, .tag = {}}};
  }
  state.observed = {.ready = std::move(ready)};
  return state;
}

ComponentState ObserveKnativeService(const FoundComponent& found) {
  ComponentState state{.kind = found.kind};
  state.rollout = found.written.rollout;
  const std::string title = "the Knative Service \"" + found.object + "\"";
  if (found.live == nullptr) {
    const ObservedCondition missing = Missing(title);
    state.observed = {.ready = missing, .route = missing, .configuration = missing};
    return state;
  }
  const Value& service = *found.live;
  const model::TrafficStatus traffic{.latest_created = TextAt(service, {"status", "latestCreatedRevisionName"}),
                                     .latest_ready = TextAt(service, {"status", "latestReadyRevisionName"}),
                                     .targets = TrafficOf(service)};
  state.rollout = model::AdvanceRollout(state.rollout, traffic);
  state.url = TextAt(service, {"status", "url"});
  model::ComponentState::Observed observed{.ready = ConditionOf(service, title, "Ready"),
                                           .route = ConditionOf(service, title, "RoutesReady"),
                                           .configuration = ConditionOf(service, title, "ConfigurationsReady")};
  const std::vector<const Value*> pods = PodsOfRevision(found.pods, traffic.latest_created);
  const bool created_is_ready = traffic.latest_created == traffic.latest_ready;
  if (!traffic.latest_ready.empty() && !created_is_ready) {
    state.revisions.push_back(RevisionOf(traffic.latest_ready, true, PodsOfRevision(found.pods, traffic.latest_ready)));
  }
  if (!traffic.latest_created.empty()) {
    state.revisions.push_back(RevisionOf(traffic.latest_created, created_is_ready, pods));
  }
  if (observed.route.status == "True") state.traffic = traffic.targets;
  if (!created_is_ready) {
    const std::string why = ReasonOf(pods);
    for (ObservedCondition* condition : {&observed.ready, &observed.configuration}) {
      if (condition->status != "True" && condition->message.find(why) == std::string::npos) {
        Append(condition->message, why);
      }
    }
  }
  state.observed = std::move(observed);
  return state;
}

}  // namespace inferd::cluster

#include "kserve/model/status/service_status.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "data/manifest/value_path.h"
#include "kserve/model/resolve/hosts.h"

namespace inferd::model {

namespace {

using manifest::FieldAt;
using manifest::Text;
using manifest::TextAt;
using manifest::Value;

// Ordered by distance from True. The worst condition of several counts for all of them.
enum class Truth { kTrue, kUnknown, kFalse };

struct Condition {
  Truth truth = Truth::kUnknown;
  std::string reason = {};
  std::string message = {};
};

std::string_view TruthName(Truth truth) {
  switch (truth) {
    case Truth::kTrue: return "True";
    case Truth::kFalse: return "False";
    case Truth::kUnknown: break;
  }
  return "Unknown";
}

Condition ConditionFrom(const ObservedCondition& observed) {
  const Truth truth = observed.status == "True"    ? Truth::kTrue
                      : observed.status == "False" ? Truth::kFalse
                                                   : Truth::kUnknown;
  return {truth, observed.reason, observed.message};
}

std::string Capitalised(std::string_view kind) {
  std::string name(kind);
  name.front() = static_cast<char>(name.front() - 'a' + 'A');
  return name;
}

const Condition& Worst(const Condition& a, const Condition& b) { return b.truth > a.truth ? b : a; }

// Returns the first failed replica of the revision. Null if none has failed.
const ReplicaStatus* FailedReplica(const RevisionState& revision) {
  const auto found = std::ranges::find_if(revision.replicas, [](const auto& each) { return !each.failure.empty(); });
  return found == revision.replicas.end() ? nullptr : &*found;
}

bool HasFailed(const RevisionState& revision) { return !revision.was_ready && FailedReplica(revision) != nullptr; }

// Knative: the Configuration's condition is that of its newest revision.
Condition ConfigurationOf(const ComponentState& component) {
  if (component.revisions.empty()) return {};
  const RevisionState& newest = component.revisions.back();
  if (newest.was_ready) return {Truth::kTrue};
  if (!HasFailed(newest)) return {};
  return {Truth::kFalse, "RevisionFailed",
          "Revision \"" + newest.name + "\" failed with message: " + FailedReplica(newest)->failure + "."};
}

Condition RouteOf(const ComponentState& component, const std::string& object, const Condition& configuration) {
  if (!component.traffic.empty()) return {Truth::kTrue};
  if (configuration.truth != Truth::kFalse) return {};
  return {Truth::kFalse, "RevisionMissing", "Configuration \"" + object + "\" does not have any ready Revision."};
}

class StatusMaker {
 public:
  StatusMaker(const InferenceService& service, const ServiceState& state, const StatusContext& context,
              const Value* before)
      : service_(service), state_(state), context_(context), before_(before) {}

  Value Make() {
    Value components = Value::Map();
    for (const ComponentState& component : state_.components) {
      AddConditions(component);
      components.Set(ComponentKindName(component.kind), ComponentStatus(component));
    }
    if (state_.failure.has_value()) {
      // The running revision continues. This reports that the current spec cannot run.
      conditions_["PredictorReady"] = {Truth::kFalse, state_.failure->reason, state_.failure->Explain()};
    }
    if (!conditions_.contains("PredictorReady")) conditions_["PredictorReady"] = {};
    AddIngress();
    if (!state_.unheeded.empty()) conditions_["FieldsHonored"] = Unheeded();
    if (state_.pod_webhook.has_value()) conditions_["PodWebhookReady"] = ConditionFrom(*state_.pod_webhook);
    for (const auto& [type, notice] : state_.notices) conditions_[type] = ConditionFrom(notice);
    conditions_["Ready"] = Worst(conditions_["PredictorReady"], conditions_["IngressReady"]);

    Value status = Value::Map();
    if (conditions_["IngressReady"].truth == Truth::kTrue) {
      status.Set("address", Value::Map({{"url", Text(ClusterUrl())}}));
    }
    if (!components.members().empty()) status.Set("components", std::move(components));
    status.Set("conditions", Conditions());
    status.Set("modelStatus", ModelStatus());
    status.Set("observedGeneration", Value::Int(Generation()));
    if (conditions_["IngressReady"].truth == Truth::kTrue) status.Set("url", Text(ServiceUrl()));
    return status;
  }

 private:
  void AddConditions(const ComponentState& component) {
    const std::string name = Capitalised(ComponentKindName(component.kind));
    const std::string object = ComponentObjectName(service_, component.kind);
    const auto& observed = component.observed;
    const Condition configuration =
        observed.has_value() ? ConditionFrom(observed->configuration) : ConfigurationOf(component);
    const Condition route =
        observed.has_value() ? ConditionFrom(observed->route) : RouteOf(component, object, configuration);
    conditions_[name + "Ready"] = observed.has_value() ? ConditionFrom(observed->ready) : Worst(route, configuration);
    if (state_.mode == DeploymentMode::kRawDeployment) return;
    conditions_[name + (component.kind == ComponentKind::kExplainer ? "RoutesReady" : "RouteReady")] = route;
    conditions_[name + "ConfigurationReady"] = configuration;
  }

  // inferd's own condition. KServe ignores such fields silently.
  Condition Unheeded() const {
    Condition condition{Truth::kFalse, "FieldsNotHonored", {}};
    for (const std::string& field : state_.unheeded) {
      condition.message += (condition.message.empty() ? "" : "; ") + field;
    }
    return condition;
  }

  // KServe creates the ingress once all components are ready, and names the first that is not.
  void AddIngress() {
    Condition& ingress = conditions_["IngressReady"];
    ingress.truth = Truth::kTrue;
    for (const std::string_view name : {"Predictor", "Transformer", "Explainer"}) {
      const auto found = conditions_.find(std::string(name) + "Ready");
      if (found == conditions_.end() || found->second.truth == Truth::kTrue || HasTraffic(name)) continue;
      ingress = {Truth::kFalse, std::string(name) + " ingress not created", {}};
      return;
    }
    if (state_.ingress.has_value()) ingress = ConditionFrom(*state_.ingress);
  }

  // A component that still runs its previous revision keeps its route.
  bool HasTraffic(std::string_view name) const {
    return std::ranges::any_of(state_.components, [&](const ComponentState& component) {
      return Capitalised(ComponentKindName(component.kind)) == name && !component.traffic.empty();
    });
  }

  std::string Url(const std::string& object) const {
    const auto host = ExternalHost(service_, object, context_.config);
    const std::string port = context_.gateway_port == 80 ? "" : ":" + std::to_string(context_.gateway_port);
    return host.has_value() ? context_.config.ingress.url_scheme + "://" + *host + port : std::string();
  }

  // KServe: the URL of the component that receives the requests, without the component's part of the name.
  std::string ServiceUrl() const {
    std::string url;
    ComponentKind entry = ComponentKind::kPredictor;
    for (const ComponentState& component : state_.components) {
      if (component.kind == ComponentKind::kExplainer) continue;
      url = component.url;
      entry = component.kind;
    }
    const size_t scheme_end = url.find("://");
    if (scheme_end == std::string::npos) return Url(service_.metadata.name);
    if (context_.config.ingress.disable_virtual_service) return url;
    url.replace(0, scheme_end, context_.config.ingress.url_scheme);
    const std::string part = "-" + std::string(ComponentKindName(entry)) + "-default";
    if (const size_t at = url.find(part); at != std::string::npos) url.erase(at, part.size());
    return url;
  }

  std::string ClusterUrl() const {
    // KServe: in raw mode, the URL has no model path.
    const bool raw = state_.mode == DeploymentMode::kRawDeployment;
    return raw ? "http://" + ClusterHost(service_, service_.metadata.name) : state_.url;
  }

  Value ComponentStatus(const ComponentState& component) const {
    Value status = Value::Map();
    const std::string object = ComponentObjectName(service_, component.kind);
    if (!component.traffic.empty()) {
      status.Set("address", Value::Map({{"url", Text("http://" + ClusterHost(service_, object))}}));
    }
    const auto set = [&](std::string_view key, const std::string& revision) {
      if (!revision.empty()) status.Set(key, Text(revision));
    };
    if (!component.revisions.empty()) set("latestCreatedRevision", component.revisions.back().name);
    set("latestReadyRevision", component.rollout.latest_ready);
    set("latestRolledoutRevision", component.rollout.latest_rolled_out);
    set("previousRolledoutRevision", component.rollout.previous_rolled_out);
    Value traffic = Value::List();
    for (const TrafficTarget& target : component.traffic) {
      Value share = Value::Map({{"latestRevision", Value::Bool(target.latest)},
                                {"percent", Value::Int(target.percent)},
                                {"revisionName", Text(target.revision)}});
      if (!target.tag.empty()) {
        share.Set("tag", Text(target.tag));
        const std::string url = Url(object);
        const size_t host = url.find("://");
        if (host != std::string::npos)
          share.Set("url", Text(url.substr(0, host + 3) + target.tag + "-" + url.substr(host + 3)));
      }
      traffic.items().push_back(std::move(share));
    }
    if (!traffic.items().empty()) {
      status.Set("traffic", std::move(traffic));
      status.Set("url", Text(component.url.empty() ? Url(object) : component.url));
    }
    return status;
  }

  Value Conditions() const {
    Value list = Value::List();
    for (const auto& [type, condition] : conditions_) {
      Value item = Value::Map({{"lastTransitionTime", Text(TransitionTime(type, condition.truth))}});
      if (!condition.message.empty()) item.Set("message", Text(condition.message));
      if (!condition.reason.empty()) item.Set("reason", Text(condition.reason));
      // Conditions that do not affect Ready get a severity (Knative).
      if (type != "Ready" && type != "PredictorReady" && type != "IngressReady") item.Set("severity", Text("Info"));
      item.Set("status", Text(TruthName(condition.truth)));
      item.Set("type", Text(type));
      list.items().push_back(std::move(item));
    }
    return list;
  }

  std::string TransitionTime(const std::string& type, Truth truth) const {
    const Value* const list = before_ == nullptr ? nullptr : before_->Find("conditions");
    if (list == nullptr) return context_.now;
    for (const Value& item : list->items()) {
      if (TextAt(item, {"type"}) != type || TextAt(item, {"status"}) != TruthName(truth)) continue;
      return TextAt(item, {"lastTransitionTime"});
    }
    return context_.now;
  }

  // KServe: modelStatus, which describes the predictor.
  Value ModelStatus() const {
    const auto predictor = std::ranges::find(state_.components, ComponentKind::kPredictor, &ComponentState::kind);
    const bool runs = predictor != state_.components.end() && !predictor->revisions.empty();
    const bool was_loaded = predictor != state_.components.end() && !predictor->traffic.empty();
    const RevisionState* const newest = runs ? &predictor->revisions.back() : nullptr;
    int64_t failed = 0;
    int64_t total = 0;
    if (newest != nullptr) {
      for (const ReplicaStatus& replica : newest->replicas) {
        failed += replica.state == ReplicaState::kFailed ? 1 : 0;
        total += replica.state == ReplicaState::kReady || newest->was_ready ? 1 : 0;
      }
    }
    std::string_view transition = "InProgress";
    std::string_view target = "Pending";
    std::optional<Value> failure;
    if (state_.failure.has_value()) {
      transition = "InvalidSpec";
      target = "FailedToLoad";
      failure = Value::Map({{"message", Text(state_.failure->message)}, {"reason", Text(state_.failure->reason)}});
    } else if (newest != nullptr && newest->was_ready) {
      transition = "UpToDate";
      target = "Loaded";
    } else if (newest != nullptr && HasFailed(*newest)) {
      transition = "BlockedByFailedLoad";
      target = "FailedToLoad";
      failure = FailureInfo(*FailedReplica(*newest), newest->name);
    } else if (newest != nullptr && !newest->replicas.empty()) {
      target = "Loading";
    }
    Value status = Value::Map({{"copies", Value::Map({{"failedCopies", Value::Int(failed)}})}});
    if (transition == "UpToDate") status.MapAt("copies").Set("totalCopies", Value::Int(total));
    if (failure.has_value()) status.Set("lastFailureInfo", *std::move(failure));
    status.Set("states", Value::Map({{"activeModelState", Text(was_loaded ? "Loaded" : "")},
                                     {"targetModelState", Text(target)}}));
    status.Set("transitionStatus", Text(transition));
    return status;
  }

  static Value FailureInfo(const ReplicaStatus& replica, const std::string& revision) {
    Value info = Value::Map();
    if (replica.exit_code.has_value()) info.Set("exitCode", Value::Int(*replica.exit_code));
    info.Set("message", Text(replica.failure));
    info.Set("modelRevisionName", Text(revision));
    info.Set("reason", Text("ModelLoadFailed"));
    return info;
  }

  int64_t Generation() const {
    const std::string text = TextAt(service_.document, {"metadata", "generation"});
    return text.empty() ? 1 : std::atoll(text.c_str());
  }

  const InferenceService& service_;
  const ServiceState& state_;
  const StatusContext& context_;
  const Value* const before_;
  std::map<std::string, Condition> conditions_;  // sorted, as in Knative
};

}  // namespace

Value MakeServiceStatus(const InferenceService& service, const ServiceState& state, const StatusContext& context,
                        const Value* before) {
  return StatusMaker(service, state, context, before).Make();
}

WrittenRollout ReadRollout(const Value& service, ComponentKind kind) {
  const Value* const component = FieldAt(service, {"status", "components", ComponentKindName(kind)});
  if (component == nullptr) return {};
  return {.latest_created = TextAt(*component, {"latestCreatedRevision"}),
          .rollout = {.latest_ready = TextAt(*component, {"latestReadyRevision"}),
                      .latest_rolled_out = TextAt(*component, {"latestRolledoutRevision"}),
                      .previous_rolled_out = TextAt(*component, {"previousRolledoutRevision"})}};
}

namespace {

std::string TextOfCondition(const Value* status, std::string_view type, std::string_view field) {
  const Value* const list = status == nullptr ? nullptr : status->Find("conditions");
  if (list == nullptr) return {};
  for (const Value& item : list->items()) {
    if (TextAt(item, {"type"}) == type) return TextAt(item, {field});
  }
  return {};
}

}  // namespace

std::string ConditionOf(const Value& status, std::string_view type) { return TextOfCondition(&status, type, "status"); }

std::string MessageOf(const Value* status, std::string_view type) { return TextOfCondition(status, type, "message"); }

Value NoticeCondition(std::string_view type, const ObservedCondition& notice) {
  return Value::Map({{"message", Text(notice.message)},
                     {"reason", Text(notice.reason)},
                     {"severity", Text("Info")},
                     {"status", Text(notice.status)},
                     {"type", Text(type)}});
}

Value WithNotice(const Value* before, std::string_view type, const ObservedCondition& notice) {
  Value status = before == nullptr ? Value::Map() : *before;
  Value& list = status.At("conditions");
  if (!list.is(manifest::Kind::kList)) list = Value::List();
  std::erase_if(list.items(), [&](const Value& item) { return TextAt(item, {"type"}) == type; });
  list.items().push_back(NoticeCondition(type, notice));
  return status;
}

}  // namespace inferd::model

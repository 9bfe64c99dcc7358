#include "kserve/cluster/services/service_reconciler.h"

#include <algorithm>
#include <utility>

#include "data/manifest/value_path.h"
#include "kserve/cluster/objects/object_set.h"
#include "kserve/cluster/objects/resources.h"
#include "kserve/cluster/services/component_observation.h"
#include "kserve/cluster/services/gateway_decision.h"
#include "kserve/model/pods/model_config.h"
#include "kserve/model/resolve/model_address.h"
#include "kserve/model/status/trained_model_status.h"

namespace inferd::cluster {

namespace {

using kubernetes::Resource;
using manifest::FieldAt;
using manifest::TextAt;
using manifest::Value;
using model::ComponentKind;
using model::ComponentObjectName;
using model::DeploymentMode;

// KServe's own; a service that KServe has looked at may have it.
constexpr std::string_view kFinalizer = "inferenceservice.finalizers";

std::vector<const Value*> PodsOf(const std::vector<LabelledObject>& there, ComponentKind kind) {
  std::vector<const Value*> pods = LiveOf(there, Pods());
  std::erase_if(pods, [&](const Value* pod) {
    return TextAt(*pod, {"metadata", "labels", "component"}) != ComponentKindName(kind);
  });
  return pods;
}

model::ObservedCondition PodWebhookMissing() {
  return {.status = "False",
          .reason = "PodWebhookMissing",
          .message =
              "Knative takes no init containers, so that the webhook /mutate-pods has to put the model's storage "
              "initializer and the agent into pods, and it is not there: install the controller's webhooks, or "
              "set kubernetes.podspec-init-containers: enabled in the ConfigMap config-features of the namespace "
              "knative-serving"};
}

}  // namespace

// What went wrong on the way, for the status.
struct ServiceReconciler::Failures {
  std::optional<model::ResolutionFailure> service;
  std::optional<model::ObservedCondition> ingress;
  bool transient = false;
  bool refused = false;

  void Add(const FailedWrite& failed) {
    const auto& [kind, failure] = failed;
    transient |= failure.transient;
    if (failure.transient) return;
    refused = true;
    if (IsRoute(kind)) {
      if (!ingress.has_value()) ingress = {.status = "False", .reason = failure.reason, .message = failure.message};
    } else if (!service.has_value()) {
      service = model::ResolutionFailure::Saying(failure.reason, failure.message);
    }
  }
};

kubernetes::ApiResult<Decision> ServiceReconciler::DecideAbout(const Value& document,
                                                               const std::vector<LabelledObject>& there,
                                                               const std::stop_token& stop) const {
  const std::string namespace_name = TextAt(document, {"metadata", "namespace"});
  std::optional<kubernetes::ApiError> trouble;
  const model::FindPodObject find = [&](std::string_view kind, std::string_view name) -> std::optional<Value> {
    auto found = pod_objects_.Find(std::string(kind), {namespace_name, std::string(name)}, stop);
    if (!found.has_value()) {
      if (!trouble.has_value()) trouble = std::move(found).error();
      return std::nullopt;
    }
    return *found == nullptr ? std::nullopt : std::optional<Value>(**found);
  };
  const std::shared_ptr<const Configuration> configuration = view_.configuration();
  const ClusterFeatures& features = view_.features();
  const Runtimes runtimes = view_.runtimes();
  const Models models = view_.ModelsOf(kubernetes::NameOf(document));
  const auto runtime_list = PointersOf(runtimes);
  const auto model_list = PointersOf(models);
  const std::vector<const Value*> deployments = LiveOf(there, Deployments());
  Decision decision =
      Decide(document, {.configuration = *configuration,
                        .runtimes = runtime_list,
                        .models = model_list,
                        .has_knative = features.Has(KnativeServices()),
                        .has_istio = features.Has(VirtualServices()),
                        .has_gateway_api = features.Has(HttpRoutes()),
                        .injection = {.find = find, .revisions = features.revisions_take_init_containers()},
                        .gateway_host = features.gateway_host(),
                        .deployments = deployments,
                        .served = ServedWayOf(document, there)});
  if (!trouble.has_value()) return decision;
  // Templates without the credentials would be other pods.
  if (trouble->code == 0 || trouble->status == base::StatusCode::kUnavailable) return std::unexpected(*trouble);
  const std::string text = "what the model's credentials are made of cannot be read: " + trouble->ToString();
  decision.failure = model::ResolutionFailure::Saying("CredentialsUnreadable", text);
  return decision;
}

Outcome ServiceReconciler::Reconcile(const kubernetes::ObjectName& name, const std::stop_token& stop) {
  if (view_.IsHeld(name.namespace_name)) return {.retry = false, .again_in = kRefusedAgain};
  const kubernetes::ObjectPointer live = view_.FindService(name);
  // What it had goes with it: the cluster collects what has no owner any more.
  if (live == nullptr) return {.retry = !ReportModels(name, {}, stop), .again_in = std::nullopt};
  if (FieldAt(*live, {"metadata", "deletionTimestamp"}) != nullptr) return Finalize(*live, stop);
  if (const auto configuration = view_.configuration(); !configuration->problems.empty()) {
    return Wait(*live, *configuration->fault, stop);
  }
  const std::vector<LabelledObject> there = view_.ObjectsOf(name);
  const auto decided = DecideAbout(*live, there, stop);
  if (!decided.has_value()) return {.retry = true, .again_in = std::nullopt};
  const Decision& decision = *decided;
  if (!decision.ours) return {};
  Failures failures;
  if (!decision.failure.has_value()) {
    const ObjectSet set = {.owner = *live, .wanted = decision.desired.objects, .kept = decision.kept, .there = there};
    for (const FailedWrite& failed : BringAbout(set, writer_, logger_, stop).failures) failures.Add(failed);
  }
  Outcome outcome{.retry = failures.transient, .again_in = std::nullopt};
  // Secrets and accounts are not followed.
  if (failures.refused || decision.failure.has_value()) outcome.again_in = kRefusedAgain;
  const std::shared_ptr<const Configuration> configuration = view_.configuration();
  model::ServiceState state = Observe(decision, there);
  if (!state.failure.has_value()) state.failure = std::move(failures.service);
  if (failures.ingress.has_value()) state.ingress = std::move(failures.ingress);
  if (configuration->fault.has_value()) state.notices.emplace(kConfigNotice, *configuration->fault);
  if (decision.desired.needs_pod_webhook && !has_pod_webhook_()) state.pod_webhook = PodWebhookMissing();
  const auto& pods = decision.desired.pods;
  outcome.retry |=
      !ReportModels(name,
                    {.there = true,
                     .ready = model::IsReady(state),
                     .takes_models = model::IsMultiModel(decision.service),
                     .memory_limit = pods.empty() ? std::nullopt : model::MemoryLimitOf(pods.front().pod_spec),
                     .url = state.url},
                    stop);
  const auto reported = reporter_.Report(*live, decision.service, state, configuration->config, stop);
  if (reported.has_value() || reported.error().is_not_found()) return outcome;
  if (!reported.error().is_conflict()) {
    logger_.Warning("a status cannot be written",
                    {{"namespace", name.namespace_name}, {"name", name.name}, {"why", reported.error().ToString()}});
  }
  outcome.retry = true;
  return outcome;
}

Outcome ServiceReconciler::Wait(const Value& live, const model::ObservedCondition& why, const std::stop_token& stop) {
  const auto reported = reporter_.ReportWaiting(live, why, stop);
  return {.retry = !reported.has_value() && !reported.error().is_not_found(), .again_in = std::nullopt};
}

bool ServiceReconciler::ReportModels(const kubernetes::ObjectName& name, const ModelHost& host,
                                     const std::stop_token& stop) {
  const auto reported = models_.Report(view_.ModelsOf(name), host, stop);
  if (!reported.has_value() && !reported.error().is_conflict()) {
    logger_.Warning("a TrainedModel's status cannot be written",
                    {{"namespace", name.namespace_name}, {"service", name.name}, {"why", reported.error().ToString()}});
  }
  return reported.has_value();
}

model::ServiceState ServiceReconciler::Observe(const Decision& decision, const std::vector<LabelledObject>& there) {
  const model::InferenceService& service = decision.service;
  model::ServiceState state{.failure = decision.failure, .mode = decision.desired.mode};
  state.ingress = decision.ingress;
  if (decision.kept_way.has_value()) state.notices.emplace("WayCurrent", *decision.kept_way);
  std::vector<ComponentKind> kinds = {ComponentKind::kPredictor};
  if (service.transformer.has_value()) kinds.push_back(ComponentKind::kTransformer);
  if (service.explainer.has_value()) kinds.push_back(ComponentKind::kExplainer);
  for (const ComponentKind kind : kinds) {
    if (const auto plan = decision.plans.find(kind); plan != decision.plans.end()) {
      state.components.push_back(ObserveRevisions(kind, plan->second, PodsOf(there, kind)));
      continue;
    }
    const std::string object = ComponentObjectName(service, kind);
    const std::vector<const Value*> pods = PodsOf(there, kind);
    if (decision.failure.has_value() && HasRevisions(LiveOf(there, Deployments()), object)) {
      state.components.push_back(ObserveRevisions(kind, PlanAsWritten(service.document, kind), pods));
      continue;
    }
    // Where the configuration cannot be read, the mode is that of what is there.
    if (decision.failure.has_value() && FindLive(there, Deployments(), object) != nullptr) {
      state.mode = DeploymentMode::kRawDeployment;
    }
    const bool raw = state.mode == DeploymentMode::kRawDeployment;
    const Value* const live = FindLive(there, raw ? Deployments() : KnativeServices(), object);
    // Of one that never was, there is nothing to say beside the failure.
    if (live == nullptr && decision.failure.has_value()) continue;
    const FoundComponent found{.kind = kind,
                               .object = object,
                               .live = live,
                               .pods = pods,
                               .written = model::ReadRollout(service.document, kind)};
    state.components.push_back(raw ? ObserveDeployment(found) : ObserveKnativeService(found));
  }
  const std::string protocol = decision.desired.pods.empty() ? "" : decision.desired.pods.front().protocol_version;
  state.unheeded = decision.unheeded;
  state.url = model::AddressUrl(service, protocol);
  return state;
}

Outcome ServiceReconciler::Finalize(const Value& live, const std::stop_token& stop) {
  const Value* const finalizers = FieldAt(live, {"metadata", "finalizers"});
  if (finalizers == nullptr) return {};
  Value left = Value::List();
  for (const Value& each : finalizers->items()) {
    if (each.text() != kFinalizer) left.items().push_back(each);
  }
  if (left.items().size() == finalizers->items().size()) return {};
  const kubernetes::ObjectName name = kubernetes::NameOf(live);
  for (const auto& model : view_.ModelsOf(name)) {
    const auto deleted = client_.Delete(TrainedModels(), {name.namespace_name, model->metadata.name}, {}, stop);
    if (!deleted.has_value() && !deleted.error().is_not_found()) return {.retry = true, .again_in = std::nullopt};
  }
  Value patch = Value::Map();
  patch.MapAt("metadata").Set("resourceVersion", Value::String(kubernetes::ResourceVersionOf(live)));
  patch.MapAt("metadata").Set("finalizers", std::move(left));
  const auto patched = client_.Patch(InferenceServices(), name, kubernetes::PatchType::kMerge, patch, {}, stop);
  return {.retry = !patched.has_value() && !patched.error().is_not_found(), .again_in = std::nullopt};
}

}  // namespace inferd::cluster

#include "kserve/cluster/services/service_reconciler.h"

#include <algorithm>
#include <utility>

#include "data/manifest/value_path.h"
#include "kserve/cluster/objects/object_set.h"
#include "kserve/cluster/objects/resources.h"
#include "kserve/cluster/services/component_observation.h"
#include "kserve/cluster/services/gateway_decision.h"
#include "kserve/cluster/services/template_credentials.h"
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

// KServe's finalizer. A service that KServe managed before may have it.
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

// Failures during a reconciliation, for the status.
struct ServiceReconciler::Failures {
  std::optional<model::ResolutionFailure> service;
  std::optional<model::ObservedCondition> ingress;
  bool transient = false;
  bool refused = false;
  bool of_knative = false;

  void Add(const FailedWrite& failed) {
    const auto& [kind, failure] = failed;
    transient |= failure.transient;
    of_knative |= failure.of_knative;
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
  const std::vector<const Value*> deployments = LiveOf(there, Deployments());
  const std::vector<const Value*> knative_services = LiveOf(there, KnativeServices());
  std::optional<kubernetes::ApiError> trouble;
  std::string missing;
  const model::FindPodObject find = [&](std::string_view kind, std::string_view name) -> std::optional<Value> {
    auto found = pod_objects_.Find(std::string(kind), {namespace_name, std::string(name)}, stop);
    if (!found.has_value()) {
      if (!trouble.has_value()) trouble = std::move(found).error();
      return std::nullopt;
    }
    if (*found != nullptr) return **found;
    const bool is_needed = HasCredentialsOf(deployments, kind, name) || HasCredentialsOf(knative_services, kind, name);
    if (is_needed && missing.empty()) missing = std::string(kind) + " \"" + std::string(name) + "\"";
    return std::nullopt;
  };
  const std::shared_ptr<const Configuration> configuration = view_.configuration();
  const ClusterFeatures& features = view_.features();
  const Runtimes runtimes = view_.runtimes();
  const Models models = view_.ModelsOf(kubernetes::NameOf(document));
  const auto runtime_list = PointersOf(runtimes);
  const auto model_list = PointersOf(models);
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
                        .knative_services = knative_services,
                        .served = ServedWayOf(document, there)});
  const model::ServingRuntime* const runtime = decision.desired.runtime;
  const Value* const runtime_spec = runtime == nullptr ? nullptr : runtime->document.Find("spec");
  decision.inputs = {.owner = DigestOfUsersPart(document),
                     .configuration = configuration,
                     .runtime = runtime == nullptr ? "" : TitleOf(runtime->document),
                     .runtime_digest = runtime_spec == nullptr ? "" : DocumentDigest(*runtime_spec),
                     .features = features.Summary()};
  // Templates without these credentials would replace the pods.
  const auto fail = [&](const char* reason, const std::string& text) {
    decision.failure = model::ResolutionFailure::Saying(reason, text);
    decision.plans.clear();
    decision.move.reset();
  };
  if (!missing.empty() && !decision.failure.has_value()) {
    fail("CredentialsMissing", "the " + missing +
                                   ", whose credentials the pods have, is not there any more: the pods stay as they "
                                   "are until it is, or until nothing names it");
  }
  if (!trouble.has_value()) return decision;
  if (trouble->code == 0 || trouble->status == base::StatusCode::kUnavailable) return std::unexpected(*trouble);
  fail("CredentialsUnreadable", "what the model's credentials are made of cannot be read: " + trouble->ToString());
  return decision;
}

Outcome ServiceReconciler::Reconcile(const kubernetes::ObjectName& name, const std::stop_token& stop) {
  if (view_.IsHeld(name.namespace_name)) return {.retry = false, .again_in = kRefusedAgain};
  const kubernetes::ObjectPointer live = view_.FindService(name);
  // The cluster's garbage collection deletes the service's objects, because they have no owner any more.
  if (live == nullptr) {
    guard_.Forget(name);
    return {.retry = !ReportModels(name, {}, stop), .again_in = std::nullopt};
  }
  if (FieldAt(*live, {"metadata", "deletionTimestamp"}) != nullptr) return Finalize(*live, stop);
  if (const auto configuration = view_.configuration(); !configuration->problems.empty()) {
    return Wait(*live, *configuration->fault, stop);
  }
  const std::vector<LabelledObject> there = view_.ObjectsOf(name);
  const auto decided = DecideAbout(*live, there, stop);
  if (!decided.has_value()) {
    SayUnread(*live, decided.error(), stop);
    return {.retry = true, .again_in = std::nullopt};
  }
  const Decision& decision = *decided;
  if (!decision.ours) return {};
  Failures failures;
  const auto held = Write(*live, decision, there, failures, stop);
  if (!held.has_value()) return {.retry = true, .again_in = std::nullopt};
  Outcome outcome{.retry = failures.transient, .again_in = std::nullopt};
  // Secrets and ServiceAccounts are not watched, so check again.
  if (failures.refused || decision.failure.has_value()) outcome.again_in = kRefusedAgain;
  if (failures.of_knative) outcome.again_in = kKnativeAgain;
  if (held->has_value()) outcome.again_in = (*held)->again_in;
  const std::shared_ptr<const Configuration> configuration = view_.configuration();
  model::ServiceState state = Observe(*live, decision, there, held->has_value());
  if (held->has_value()) state.notices.emplace(kHeldNotice, (*held)->notice);
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

kubernetes::ApiResult<std::optional<HeldChange>> ServiceReconciler::Write(const Value& live, const Decision& decision,
                                                                          const std::vector<LabelledObject>& there,
                                                                          Failures& failures,
                                                                          const std::stop_token& stop) {
  if (decision.failure.has_value()) return std::nullopt;
  const ObjectSet set = {.owner = live,
                         .wanted = decision.desired.objects,
                         .kept = decision.kept,
                         .there = there,
                         .goes = WhatGoes(decision)};
  const std::vector<RevisedComponent> revised = RevisedOf(decision, LiveOf(there, Deployments()));
  const bool is_move = decision.move.has_value();
  auto held = guard_.Check({.set = set, .revised = revised, .inputs = decision.inputs, .is_move = is_move}, stop);
  if (!held.has_value() || held->has_value()) return held;
  const SetResult result = BringAbout(set, writer_, logger_, stop);
  for (const FailedWrite& failed : result.failures) failures.Add(failed);
  // A service that moves to another way of serving is complete only when the objects of the old way are gone. Until
  // then, the user's request is the cause of its changes.
  if (result.failures.empty() && !is_move) guard_.NoteApplied(kubernetes::NameOf(live), decision.inputs);
  return std::nullopt;
}

void ServiceReconciler::SayUnread(const Value& live, const kubernetes::ApiError& why, const std::stop_token& stop) {
  if (stop.stop_requested()) return;
  const std::string text = "what the model's credentials are made of cannot be read: " + why.ToString() +
                           "; the pods stay as they are, and it is tried again";
  const auto reported =
      reporter_.ReportUnread(live, {.status = "False", .reason = "CredentialsUnreadable", .message = text}, stop);
  // Logged once per condition, and whenever the status cannot be written.
  if (reported.has_value() && !*reported) return;
  const kubernetes::ObjectName name = kubernetes::NameOf(live);
  logger_.Warning(text, {{"namespace", name.namespace_name}, {"name", name.name}});
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

model::ServiceState ServiceReconciler::Observe(const Value& live_service, const Decision& decision,
                                               const std::vector<LabelledObject>& there, bool is_held) {
  const model::InferenceService& service = decision.service;
  // During the first steps of a move, the status describes the old way.
  const WayMove* const move = decision.move.has_value() && decision.move->observes_before() ? &*decision.move : nullptr;
  model::ServiceState state{.failure = decision.failure, .mode = move == nullptr ? decision.desired.mode : move->mode};
  const bool goes_on = is_held || decision.failure.has_value();
  if (!is_held) state.ingress = decision.ingress;
  if (decision.kept_way.has_value()) state.notices.emplace(kWayNotice, *decision.kept_way);
  std::vector<ComponentKind> kinds = {ComponentKind::kPredictor};
  if (service.transformer.has_value()) kinds.push_back(ComponentKind::kTransformer);
  if (service.explainer.has_value()) kinds.push_back(ComponentKind::kExplainer);
  for (const ComponentKind kind : kinds) {
    const std::string object = ComponentObjectName(service, kind);
    if (move != nullptr && move->before == ServedBy::kGateway) {
      state.components.push_back(ObserveRevisions(kind, PlanAsWritten(live_service, kind), PodsOf(there, kind)));
      continue;
    }
    const auto plan = decision.plans.find(kind);
    const bool is_planned = move == nullptr && plan != decision.plans.end();
    if (is_planned && (!is_held || HasRevisions(LiveOf(there, Deployments()), object))) {
      model::RevisionPlan now = plan->second;
      // The new revision is held. The existing revisions continue, and so does a rollout that has begun.
      if (is_held && now.is_new) now.latest_created = PlanAsWritten(service.document, kind).latest_created;
      state.components.push_back(ObserveRevisions(kind, now, PodsOf(there, kind)));
      continue;
    }
    const std::vector<const Value*> pods = PodsOf(there, kind);
    if (goes_on && HasRevisions(LiveOf(there, Deployments()), object)) {
      state.components.push_back(ObserveRevisions(kind, PlanAsWritten(service.document, kind), pods));
      continue;
    }
    // If the configuration is invalid, or the change is held, the live objects decide the mode.
    if (goes_on && FindLive(there, Deployments(), object) != nullptr) {
      state.mode = DeploymentMode::kRawDeployment;
    } else if (is_held && FindLive(there, KnativeServices(), object) != nullptr) {
      state.mode = DeploymentMode::kServerless;
    }
    const bool raw = state.mode == DeploymentMode::kRawDeployment;
    const Value* const live = FindLive(there, raw ? Deployments() : KnativeServices(), object);
    // For a component that was never created, the failure is all that can be reported.
    if (live == nullptr && goes_on) continue;
    const FoundComponent found{.kind = kind,
                               .object = object,
                               .live = live,
                               .pods = pods,
                               .written = model::ReadRollout(move == nullptr ? service.document : live_service, kind)};
    state.components.push_back(raw ? ObserveDeployment(found) : ObserveKnativeService(found));
  }
  const std::string protocol = decision.desired.pods.empty() ? "" : decision.desired.pods.front().protocol_version;
  state.unheeded = decision.unheeded;
  state.url = model::AddressUrl(service, protocol);
  return state;
}

Outcome ServiceReconciler::Finalize(const Value& live, const std::stop_token& stop) {
  guard_.Forget(kubernetes::NameOf(live));
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

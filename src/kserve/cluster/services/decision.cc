#include "kserve/cluster/services/decision.h"

#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <utility>

#include "kserve/cluster/objects/resources.h"
#include "kserve/cluster/services/gateway_decision.h"
#include "kserve/model/reconcile/unheeded_fields.h"
#include "kserve/model/resolve/defaulting.h"
#include "kserve/model/resolve/runtime_selection.h"
#include "kserve/model/resolve/validation.h"
#include "kserve/model/status/service_status.h"

namespace inferd::cluster {

namespace {

using manifest::Value;
using model::ComponentKind;
using model::DeploymentMode;
using model::ResolutionFailure;

// Returns the problem's text. Adds the field's name if the text lacks it.
std::string TextOf(const manifest::Problem& problem) {
  return problem.message.starts_with("must ") ? problem.path + " " + problem.message : problem.message;
}

ResolutionFailure Invalid(const char* reason, const manifest::Problem& problem) {
  return ResolutionFailure::Saying(reason, TextOf(problem));
}

}  // namespace

std::optional<ResolutionFailure> FailureOf(const Configuration& configuration, const manifest::Problems& reading,
                                           const manifest::Problems& validation, const char* reason) {
  if (!configuration.problems.empty()) {
    return ResolutionFailure::Saying("InvalidConfig",
                                     "inferenceservice-config: " + configuration.problems.front().ToString(""));
  }
  if (!reading.empty()) return Invalid(reason, {.message = reading.front().ToString("")});
  if (!validation.empty()) return Invalid(reason, validation.front());
  return std::nullopt;
}

std::optional<model::ObservedCondition> LeaveOut(const kubernetes::Resource& missing, const char* reason,
                                                 const std::string& advice, std::vector<Value>& objects) {
  const size_t erased = std::erase_if(objects, [&](const Value& object) {
    return WrittenResourceOf(object) != nullptr && *WrittenResourceOf(object) == missing;
  });
  if (erased == 0) return std::nullopt;
  return model::ObservedCondition{.status = "False",
                                  .reason = reason,
                                  .message = "the cluster does not have the API " + missing.api_version() +
                                             ", so that there is no " + missing.kind + ": " + advice};
}

namespace {

void NameUnheeded(const model::InferenceServiceConfig& config, std::span<const model::ServingRuntime* const> runtimes,
                  Decision& decision) {
  if (decision.failure.has_value()) return;
  const model::ServingWay way{.mode = decision.desired.mode, .by_gateway = !decision.plans.empty()};
  const auto add = [&](const std::vector<model::UnheededField>& fields) {
    for (const model::UnheededField& field : fields) decision.unheeded.push_back(field.ToString());
  };
  add(model::UnheededFields(decision.service, way, config));
  if (decision.desired.runtime != nullptr) add(model::UnheededFields(*decision.desired.runtime, runtimes));
}

}  // namespace

std::optional<model::ObservedCondition> LeaveOutRoutes(bool has_gateway_api, std::vector<Value>& objects) {
  if (has_gateway_api) return std::nullopt;
  return LeaveOut(HttpRoutes(), "GatewayApiMissing",
                  "install it, or take enableGatewayApi out of the ingress of inferenceservice-config", objects);
}

namespace {

// The context of a decision without those changes that would move the service to another way of serving.
struct KeptContext {
  model::InferenceServiceConfig config;
  bool has_knative = false;
  std::optional<model::ObservedCondition> kept_way = {};
};

KeptContext Keep(const model::InferenceService& service, const DecisionContext& context) {
  KeptContext kept{.config = context.configuration.config, .has_knative = context.has_knative};
  const ServedWay& served = context.served;
  if (const auto mode = KeptMode(service.metadata, served, kept.config.default_mode)) {
    kept.kept_way = ModeKeptNotice(*mode, kept.config.default_mode);
    kept.config.default_mode = *mode;
  }
  const bool stays = served.by_gateway && served.mode == DeploymentMode::kServerless;
  if (stays && kept.has_knative && !context.gateway_host.empty() && !NamesKnative(service.metadata) &&
      model::DeploymentModeOf(service, kept.config) == DeploymentMode::kServerless) {
    kept.has_knative = false;
    kept.kept_way = {.status = "False",
                     .reason = "GatewayKept",
                     .message =
                         "the cluster has Knative now; this service stays with inferd-gateway until its "
                         "annotation serving.kserve.io/deploymentMode says Knative"};
  }
  // Istio's VirtualServices lead to Knative's services only.
  kept.config.ingress.disable_virtual_service |= !kept.has_knative;
  return kept;
}

std::optional<ResolutionFailure> FindMissing(DeploymentMode mode, const KeptContext& kept,
                                             const DecisionContext& context) {
  if (mode != DeploymentMode::kServerless || kept.has_knative || !context.gateway_host.empty()) return std::nullopt;
  const std::string text =
      "the cluster has neither the API serving.knative.dev/v1 nor inferd's gateway, one of which the deployment mode "
      "Serverless needs: install Knative Serving or inferd-gateway, or set the annotation "
      "serving.kserve.io/deploymentMode: RawDeployment";
  return ResolutionFailure::Saying("KnativeMissing", text);
}

// An unreadable runtime may be the one that serves now. Choosing another one would replace the pods.
std::optional<ResolutionFailure> FindUnreadable(const model::InferenceService& service,
                                                const DecisionContext& context) {
  const ServedWay& served = context.served;
  const bool is_served = served.by_deployment || served.by_gateway || served.by_knative;
  const auto& model = service.predictor.model;
  if (!is_served || !model.has_value() || model->runtime.has_value()) return std::nullopt;
  const auto selection = model::SelectRuntime(*model, service.metadata.namespace_name, context.runtimes);
  for (const model::RuntimeCandidate& candidate : selection.candidates) {
    if (candidate.supports) break;
    const model::ServingRuntime& runtime = *candidate.runtime;
    const bool may_serve =
        runtime.formats.empty() || std::ranges::any_of(runtime.formats, [&](const model::SupportedModelFormat& format) {
          return format.name == model->format.name && format.auto_select;
        });
    if (runtime.fault.empty() || !may_serve) continue;
    const std::string& name = runtime.metadata.name;
    return ResolutionFailure::Saying("RuntimeUnreadable",
                                     "the runtime " + name + " cannot be read: " + runtime.fault +
                                         "; no other one takes its place: mend it, or name another in `runtime`");
  }
  return std::nullopt;
}

// Decides as if the service had no objects of another way of serving.
Decision DecideAsNew(const Value& document, const DecisionContext& context) {
  manifest::Problems reading;
  const model::InferenceService read = model::ReadInferenceService(document, reading);
  const KeptContext kept = Keep(read, context);
  const model::InferenceServiceConfig& config = kept.config;
  Decision decision;
  decision.kept_way = kept.kept_way;
  decision.service = model::ApplyDefaults(read, config);
  decision.desired.mode = model::DeploymentModeOf(decision.service, config);
  if (decision.desired.mode == DeploymentMode::kModelMesh) {
    decision.ours = false;
    return decision;
  }
  decision.failure =
      FailureOf(context.configuration, reading, model::Validate(decision.service), "InvalidPredictorSpec");
  if (decision.failure.has_value()) return decision;
  decision.failure = FindMissing(decision.desired.mode, kept, context);
  if (decision.failure.has_value()) return decision;
  decision.failure = FindUnreadable(decision.service, context);
  if (decision.failure.has_value()) return decision;
  std::map<ComponentKind, model::Rollout> rollouts;
  for (const ComponentKind kind : {ComponentKind::kPredictor, ComponentKind::kTransformer, ComponentKind::kExplainer}) {
    rollouts.emplace(kind, model::ReadRollout(document, kind).rollout);
  }
  auto desired = model::MakeDesiredObjects(read, context.runtimes, context.models, config, rollouts, context.injection);
  if (!desired.has_value()) {
    decision.failure = std::move(desired).error();
    return decision;
  }
  decision.desired = *std::move(desired);
  if (!context.has_istio) {
    decision.ingress =
        LeaveOut(VirtualServices(), "IstioMissing",
                 "install Istio, or set disableIstioVirtualHost in the ingress of inferenceservice-config",
                 decision.desired.objects);
  }
  if (auto missing = LeaveOutRoutes(context.has_gateway_api, decision.desired.objects)) {
    decision.ingress = std::move(missing);
  }
  DecideByGateway(document, context, kept.has_knative, decision);
  NameUnheeded(context.configuration.config, context.runtimes, decision);
  return decision;
}

// Removes the revisions from the status, because they belong to another way of serving.
Value WithoutRevisions(Value document) {
  Value* const status = document.Find("status");
  if (status != nullptr && status->is(manifest::Kind::kMap)) status->Remove("components");
  return document;
}

// Decides as if the annotation requested the current way of serving.
Decision DecideAsBefore(Value document, DecisionContext context, ServedBy before) {
  const DeploymentMode mode = ModeOfWay(document, before);
  document.MapAt("metadata")
      .MapAt("annotations")
      .Set(model::kDeploymentModeAnnotation, manifest::Text(model::DeploymentModeName(mode)));
  context.served = {.mode = mode,
                    .by_knative = before == ServedBy::kKnative,
                    .by_gateway = before == ServedBy::kGateway,
                    .by_deployment = before == ServedBy::kDeployment};
  return DecideAsNew(document, context);
}

ServedBy WayOf(const Decision& decision) {
  if (!decision.plans.empty()) return ServedBy::kGateway;
  return decision.desired.mode == DeploymentMode::kRawDeployment ? ServedBy::kDeployment : ServedBy::kKnative;
}

model::ObservedCondition CanaryKept() {
  return {.status = "False",
          .reason = "CanaryKept",
          .message =
              "its annotation asks for another way of being served, in which a canary would lose its share; it "
              "moves when canaryTrafficPercent is 100 or gone"};
}

}  // namespace

Decision Decide(const Value& document, const DecisionContext& context) {
  Decision decision = DecideAsNew(document, context);
  if (!decision.ours || decision.failure.has_value()) return decision;
  const ServedBy now = WayOf(decision);
  const auto before = ServedBefore(document, context.served, now);
  if (!before.has_value()) return decision;
  if (SharesRequests(document, decision.desired.pods)) {
    Decision stays = DecideAsBefore(document, context, *before);
    stays.kept_way = CanaryKept();
    return stays;
  }
  Decision fresh = DecideAsNew(WithoutRevisions(document), context);
  if (fresh.failure.has_value()) {
    decision.failure = std::move(fresh.failure);
    return decision;
  }
  decision = std::move(fresh);
  const NewWay way{.by = now,
                   .service = decision.service,
                   .pods = decision.desired.pods,
                   .plans = decision.plans,
                   .deployments = context.deployments,
                   .knative_services = context.knative_services};
  decision.move = PlanMove(document, *before, way);
  if (decision.move->step != WayMove::Step::kFinish) LeaveOutNames(way, decision.desired.objects);
  if (decision.move->observes_before()) {
    decision.kept_way = MovingNotice(*decision.move, decision.desired.mode);
    // The routes from outside the cluster have not changed yet.
    decision.ingress.reset();
  }
  return decision;
}

std::function<bool(const LabelledObject&)> WhatGoes(const Decision& decision) {
  if (!decision.move.has_value()) return {};
  return [&decision](const LabelledObject& stray) { return GoesAt(*decision.move, decision.service, stray); };
}

}  // namespace inferd::cluster

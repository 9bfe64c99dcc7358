#include "operator/services/decision.h"

#include <array>
#include <map>
#include <string>
#include <utility>

#include "controlplane/reconcile/unheeded_fields.h"
#include "controlplane/resolve/defaulting.h"
#include "controlplane/resolve/validation.h"
#include "controlplane/status/service_status.h"
#include "operator/cluster/resources.h"
#include "operator/services/gateway_decision.h"

namespace inferd::operators {

namespace {

using controlplane::ComponentKind;
using controlplane::DeploymentMode;
using controlplane::ResolutionFailure;
using manifest::Value;

// Both keep to the field's name where the problem's own words do not have it.
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

std::optional<controlplane::ObservedCondition> LeaveOut(const kubernetes::Resource& missing, const char* reason,
                                                        const std::string& advice, std::vector<Value>& objects) {
  const size_t erased = std::erase_if(objects, [&](const Value& object) {
    return WrittenResourceOf(object) != nullptr && *WrittenResourceOf(object) == missing;
  });
  if (erased == 0) return std::nullopt;
  return controlplane::ObservedCondition{.status = "False",
                                         .reason = reason,
                                         .message = "the cluster does not have the API " + missing.api_version() +
                                                    ", so that there is no " + missing.kind + ": " + advice};
}

namespace {

void NameUnheeded(const controlplane::InferenceServiceConfig& config,
                  std::span<const controlplane::ServingRuntime* const> runtimes, Decision& decision) {
  if (decision.failure.has_value()) return;
  const controlplane::ServingWay way{.mode = decision.desired.mode, .by_gateway = !decision.plans.empty()};
  const auto add = [&](const std::vector<controlplane::UnheededField>& fields) {
    for (const controlplane::UnheededField& field : fields) decision.unheeded.push_back(field.ToString());
  };
  add(controlplane::UnheededFields(decision.service, way, config));
  if (decision.desired.runtime != nullptr) add(controlplane::UnheededFields(*decision.desired.runtime, runtimes));
}

}  // namespace

std::optional<controlplane::ObservedCondition> LeaveOutRoutes(bool has_gateway_api, std::vector<Value>& objects) {
  if (has_gateway_api) return std::nullopt;
  return LeaveOut(HttpRoutes(), "GatewayApiMissing",
                  "install it, or take enableGatewayApi out of the ingress of inferenceservice-config", objects);
}

Decision Decide(const Value& document, const DecisionContext& context) {
  const controlplane::InferenceServiceConfig& config = context.configuration.config;
  manifest::Problems reading;
  const controlplane::InferenceService read = controlplane::ReadInferenceService(document, reading);
  Decision decision;
  decision.service = controlplane::ApplyDefaults(read, config);
  decision.desired.mode = controlplane::DeploymentModeOf(decision.service, config);
  if (decision.desired.mode == DeploymentMode::kModelMesh) {
    decision.ours = false;
    return decision;
  }
  decision.failure =
      FailureOf(context.configuration, reading, controlplane::Validate(decision.service), "InvalidPredictorSpec");
  if (decision.failure.has_value()) return decision;
  const bool serverless = decision.desired.mode == DeploymentMode::kServerless;
  if (serverless && !context.has_knative && context.gateway_host.empty()) {
    const std::string text =
        "the cluster has neither the API serving.knative.dev/v1 nor inferd's gateway, one of which the deployment mode "
        "Serverless needs: install Knative Serving or inferd-gateway, or set the annotation "
        "serving.kserve.io/deploymentMode: RawDeployment";
    decision.failure = ResolutionFailure::Saying("KnativeMissing", text);
    return decision;
  }
  std::map<ComponentKind, controlplane::Rollout> rollouts;
  for (const ComponentKind kind : {ComponentKind::kPredictor, ComponentKind::kTransformer, ComponentKind::kExplainer}) {
    rollouts.emplace(kind, controlplane::ReadRollout(document, kind).rollout);
  }
  // Istio leads to Knative's services alone.
  controlplane::InferenceServiceConfig used = config;
  used.ingress.disable_virtual_service |= !context.has_knative;
  auto desired =
      controlplane::MakeDesiredObjects(read, context.runtimes, context.models, used, rollouts, context.injection);
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
  DecideByGateway(document, context, decision);
  NameUnheeded(config, context.runtimes, decision);
  return decision;
}

}  // namespace inferd::operators

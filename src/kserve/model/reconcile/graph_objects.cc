#include "kserve/model/reconcile/graph_objects.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <utility>
#include <variant>

#include "kserve/model/pods/inject/sidecar.h"
#include "kserve/model/reconcile/object_parts.h"
#include "kserve/model/reconcile/outside_routes.h"
#include "kserve/model/reconcile/raw_objects.h"
#include "kserve/model/reconcile/rendering.h"
#include "kserve/model/reconcile/serverless_objects.h"
#include "kserve/model/resolve/defaulting.h"
#include "kserve/model/resolve/hosts.h"
#include "kserve/model/resolve/model_address.h"

namespace inferd::model {

namespace {

using manifest::Value;

constexpr size_t kLabelValueBytesMax = 63;

// Returns a failure if a step's URL is one that inferd's router cannot call. Other routers might.
std::optional<ResolutionFailure> FindUnsupported(const InferenceGraph& graph, const InferenceServiceConfig& config) {
  if (!IsOwnImage(config.router.image)) return std::nullopt;
  for (const InferenceGraph::Node& node : graph.nodes) {
    for (const InferenceGraph::Step& step : node.steps) {
      if (step.service_url.empty() || step.service_url.starts_with("http://")) continue;
      return ResolutionFailure::Saying(
          "UnsupportedUrl", step.path + ".serviceUrl: expected http://HOST/PATH, not '" + step.service_url + "'");
    }
  }
  return std::nullopt;
}

// Returns the router's Deployment, and the routes to its pods.
std::expected<GraphObjects, ResolutionFailure> RawGraphObjects(const InferenceGraph& graph, const ResolvedPod& pod,
                                                               const InferenceServiceConfig& config) {
  const std::string& name = graph.metadata.name;
  const std::string app = SelectedLabels(pod, name).at("app");
  if (app.size() > kLabelValueBytesMax) {
    return std::unexpected(
        ResolutionFailure::Saying("InvalidName", "metadata.name: the label app '" + app + "' would have a value of " +
                                                     std::to_string(app.size()) + " characters; Kubernetes takes " +
                                                     std::to_string(kLabelValueBytesMax)));
  }
  ResolvedPod in_template = pod;
  in_template.pod_spec = WithReadinessProbe(pod.pod_spec);
  GraphObjects made;
  made.objects = RawPodObjects(graph, pod, in_template, name);
  const OutsideTarget target = {
      .service = name, .port = ServicePorts(pod, name).front().At("port"), .timeout_s = graph.timeout_s.value_or(0)};
  auto routes = OutsideRoutes(graph, std::array{OutsideHost{.object = name, .target = target}}, config);
  auto host = ExternalHost(graph.metadata, name, config);
  if (!routes.has_value()) return std::unexpected(ResolutionFailure::Saying("InvalidConfig", routes.error().message()));
  // Without routes from outside, the external host is of no use.
  const bool outside = !routes->empty() && host.has_value();
  made.url = outside ? config.ingress.url_scheme + "://" + *host : "http://" + ClusterHost(graph.metadata, name);
  std::ranges::move(*routes, std::back_inserter(made.objects));
  return made;
}

}  // namespace

std::expected<GraphObjects, ResolutionFailure> MakeGraphObjects(const InferenceGraph& graph,
                                                                const InferenceServiceConfig& config, bool has_knative,
                                                                const FindStepService& find) {
  const DeploymentMode mode = DeploymentModeOf(graph.metadata, config);
  if (mode == DeploymentMode::kModelMesh) {
    return std::unexpected(
        ResolutionFailure::Saying("InvalidDeploymentMode", "the deployment mode ModelMesh has no graphs"));
  }
  if (auto unsupported = FindUnsupported(graph, config)) return std::unexpected(*std::move(unsupported));
  const auto json = RouterGraphJson(graph, find);
  if (!json.has_value()) return std::unexpected(json.error());
  auto pod = RouterPod(graph, *json, config);
  if (!pod.has_value()) return std::unexpected(ResolutionFailure::Saying("InvalidConfig", pod.error().message()));
  if (mode == DeploymentMode::kRawDeployment || !has_knative) return RawGraphObjects(graph, *pod, config);
  // Knative checks by itself that the port is open. It fills in the port only for a probe without further settings.
  Value& container = pod->pod_spec.At("containers").items().front();
  for (const std::string_view probe : {"readinessProbe", "livenessProbe"}) container.Remove(probe);
  pod->pod_spec = WithRevisionProbe(pod->pod_spec);
  GraphObjects made;
  made.knative = true;
  made.objects.push_back(KnativeServiceOf(graph, graph.metadata.name, *pod, Rollout()));
  return made;
}

std::expected<GraphObjects, ResolutionFailure> RenderGraph(const InferenceGraph& graph,
                                                           std::span<const Object* const> objects,
                                                           const ReviewContext& context) {
  const InferenceServiceConfig config = context.config == nullptr ? InferenceServiceConfig() : *context.config;
  const FindStepService find = [&](const std::string& name) -> StepService {
    for (const Object* const object : objects) {
      const auto* const service = std::get_if<InferenceService>(&object->typed);
      if (service == nullptr || service->metadata.name != name) continue;
      if (service->metadata.namespace_name != graph.metadata.namespace_name) continue;
      const auto desired = RenderService(*service, objects, context, true);
      if (!desired.has_value() || desired->pods.empty()) return {.there = true};
      const std::string& protocol = desired->pods.front().protocol_version;
      return {.there = true, .url = AddressUrl(ApplyDefaults(*service, config), protocol)};
    }
    return {};
  };
  return MakeGraphObjects(graph, config, true, find);
}

}  // namespace inferd::model

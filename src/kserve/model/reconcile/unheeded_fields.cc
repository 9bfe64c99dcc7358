#include "kserve/model/reconcile/unheeded_fields.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <string_view>
#include <utility>

#include "data/manifest/value_path.h"
#include "kserve/model/api/empty_values.h"
#include "kserve/model/api/pod_spec.h"
#include "kserve/model/reconcile/unheeded_annotations.h"
#include "kserve/model/resolve/validation.h"
#include "kserve/model/scale/hpa.h"

namespace inferd::model {

namespace {

using manifest::Value;

constexpr std::string_view kNewer = "is of a newer version of KServe than the ones that are followed here";
constexpr std::string_view kModelMesh = "is ModelMesh's alone";

class UnheededFinder final {
 public:
  UnheededFinder(const InferenceService& service, ServingWay way, const InferenceServiceConfig& config)
      : service_(service),
        raw_(way.mode == DeploymentMode::kRawDeployment),
        by_gateway_(way.by_gateway),
        config_(config),
        autoscaler_(AutoscalerClassOf(service.metadata.annotations)) {}

  std::vector<UnheededField> Find() {
    if (const Value* const spec = service_.document.Find("spec")) {
      AddOthers("spec", *spec, kComponents, kNewer);
    }
    FindIn("predictor", service_.predictor.extension);
    if (service_.predictor.model.has_value()) FindInModel(*service_.predictor.model);
    if (service_.transformer.has_value()) FindIn("transformer", service_.transformer->extension);
    if (!service_.explainer.has_value()) return std::move(found_);
    FindIn("explainer", service_.explainer->extension);
    for (const Explainer::Implementation& each : service_.explainer->implementations) FindInExplainer(each);
    return std::move(found_);
  }

 private:
  static constexpr std::array<std::string_view, 3> kComponents = {"predictor", "transformer", "explainer"};
  static constexpr std::array<std::string_view, 2> kLogger = {"url", "mode"};

  void Add(bool given, std::string path, std::string_view why) {
    if (given) found_.push_back({.path = std::move(path), .why = std::string(why)});
  }

  // Adds the fields of a map except `heeded`.
  template <size_t kCount>
  void AddOthers(const std::string& path, const Value& map, const std::array<std::string_view, kCount>& heeded,
                 std::string_view why) {
    for (const manifest::Member& member : map.members()) {
      const bool other = std::ranges::find(heeded, member.key) == heeded.end();
      Add(other && !IsUnset(member.value), manifest::PathOf(path, member.key), why);
    }
  }

  template <size_t kCount>
  void AddThese(const std::string& path, const Value& map, const std::array<std::string_view, kCount>& unheeded,
                std::string_view why) {
    for (const std::string_view key : unheeded) {
      const Value* const field = map.Find(key);
      Add(field != nullptr && !IsUnset(*field), manifest::PathOf(path, key), why);
    }
  }

  void FindIn(std::string_view component, const ComponentExtension& extension) {
    const std::string path = "spec." + std::string(component);
    if (const Value* const document = manifest::FieldAt(service_.document, {"spec", component})) {
      AddThese(path, *document, kNewerComponentFields, kNewer);
      const Value* const logger = document->Find("logger");
      if (logger != nullptr) AddOthers(path + ".logger", *logger, kLogger, "the agent's events do not have it");
    }
    raw_ ? FindInRaw(path, extension) : FindInServerless(path, extension);
    const bool no_sink =
        extension.logger.has_value() && !extension.logger->url.has_value() && config_.logger_url.empty();
    Add(no_sink, path + ".logger", "nothing is logged without a url, and the configuration's logger has no defaultUrl");
    Add(extension.batcher.has_value() && extension.batcher->timeout_s.has_value(), path + ".batcher.timeout",
        "the agent is not told of it; it has the component's timeout");
  }

  void FindInServerless(const std::string& path, const ComponentExtension& extension) {
    Add(extension.deployment_strategy.has_value() && !by_gateway_, path + ".deploymentStrategy",
        "is a Deployment's; Knative replaces pods by serving.knative.dev/rollout-duration");
  }

  void FindInRaw(const std::string& path, const ComponentExtension& extension) {
    if (!by_gateway_) FindWithoutGateway(path, extension);
    if (autoscaler_ == AutoscalerClass::kHpa) {
      Add(extension.min_replicas == 0, path + ".minReplicas",
          "a HorizontalPodAutoscaler does not scale to zero: there is one");
      return;
    }
    const bool external = autoscaler_ == AutoscalerClass::kExternal;
    Add(external && extension.min_replicas.has_value(), path + ".minReplicas", kNoAutoscaler);
    Add(extension.max_replicas != 0, path + ".maxReplicas", kNoAutoscaler);
    Add(extension.scale_target.has_value(), path + ".scaleTarget", kNoAutoscaler);
    Add(extension.scale_metric.has_value(), path + ".scaleMetric", kNoAutoscaler);
  }

  void FindWithoutGateway(const std::string& path, const ComponentExtension& extension) {
    const bool has_agent = extension.logger.has_value() || extension.batcher.has_value();
    Add(extension.canary_traffic_percent.has_value(), path + ".canaryTrafficPercent",
        "a Deployment has one version, and there is no inferd-gateway: all requests go to the latest that is ready");
    Add(extension.container_concurrency.value_or(0) > 0, path + ".containerConcurrency",
        "nothing in front of the pods counts requests in raw mode");
    Add(extension.timeout_s.value_or(0) > 0 && !has_agent && !config_.ingress.enable_gateway_api, path + ".timeout",
        "nothing in front of the pods holds requests to it in raw mode, unless enableGatewayApi is configured");
  }

  void FindInContainer(const std::string& path, const Value& container, const std::optional<StorageSpec>& storage) {
    const std::string& name = manifest::TextAt(container, {"name"});
    Add(!name.empty() && name != kServingContainer, path + ".name",
        "the container is called " + std::string(kServingContainer));
    Add(storage.has_value() && storage->schema_path.has_value(), path + ".storage.schemaPath", kModelMesh);
  }

  void FindInModel(const ModelSpec& model) {
    const std::string path = "spec.predictor.model";
    FindInContainer(path, model.container, model.storage);
    const Value* const document = manifest::FieldAt(service_.document, {"spec", "predictor", "model"});
    if (document != nullptr) AddThese(path, *document, kNewerModelFields, kNewer);
  }

  void FindInExplainer(const Explainer::Implementation& implementation) {
    const std::string path = "spec.explainer." + implementation.kind;
    FindInContainer(path, implementation.container, implementation.storage);
    const bool has_image = implementation.container.Find("image") != nullptr;
    Add(has_image && implementation.runtime_version.has_value(), path + ".runtimeVersion",
        "is for the configuration's image; the explainer has one of its own");
    Add(implementation.protocol_version.has_value(), path + ".protocolVersion", "nothing goes by that of an explainer");
  }

  const InferenceService& service_;
  const bool raw_;
  const bool by_gateway_;
  const InferenceServiceConfig& config_;
  const AutoscalerClass autoscaler_;
  std::vector<UnheededField> found_;
};

}  // namespace

std::vector<UnheededField> UnheededFields(const InferenceService& service, ServingWay way,
                                          const InferenceServiceConfig& config) {
  std::vector<UnheededField> fields = UnheededAnnotations(service, way, config);
  std::ranges::move(UnheededFinder(service, way, config).Find(), std::back_inserter(fields));
  return fields;
}

std::vector<UnheededField> UnheededFields(const ServingRuntime& runtime,
                                          std::span<const ServingRuntime* const> others) {
  struct Row {
    std::string_view key;
    std::string_view why;
  };
  constexpr std::string_view kOthers = "pods have those of the service, not of its runtime";
  constexpr std::array kRows = {
      Row{"grpcEndpoint", kModelMesh}, Row{"grpcDataEndpoint", kModelMesh}, Row{"httpDataEndpoint", kModelMesh},
      Row{"replicas", kModelMesh},     Row{"storageHelper", kModelMesh},    Row{"builtInAdapter", kModelMesh},
      Row{"workerSpec", kNewer},       Row{"initContainers", kOthers},      Row{"serviceAccountName", kOthers}};
  const std::string owner =
      (runtime.cluster_wide ? "ClusterServingRuntime " : "ServingRuntime ") + runtime.metadata.name + ": ";
  std::vector<UnheededField> fields;
  const Value* const spec = runtime.document.Find("spec");
  if (spec == nullptr) return fields;
  for (const Row& row : kRows) {
    const Value* const field = spec->Find(row.key);
    if (field == nullptr || IsUnset(*field)) continue;
    fields.push_back({.path = owner + "spec." + std::string(row.key), .why = std::string(row.why)});
  }
  for (size_t i = 1; i < runtime.containers.size(); ++i) {
    fields.push_back({.path = owner + manifest::PathOf("spec.containers", i), .why = "the first one serves, alone"});
  }
  // The runtime serves, so what remains are problems without effect, such as equal priorities.
  for (manifest::Problem& problem : Validate(runtime, others)) {
    fields.push_back({.path = owner + problem.path, .why = std::move(problem.message)});
  }
  return fields;
}

}  // namespace inferd::model

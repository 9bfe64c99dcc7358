#include "kserve/model/resolve/review.h"

#include <algorithm>
#include <set>
#include <string>
#include <tuple>
#include <utility>

#include "kserve/model/pods/pod_resolution.h"
#include "kserve/model/resolve/defaulting.h"
#include "kserve/model/resolve/hosts.h"
#include "kserve/model/resolve/validation.h"

namespace inferd::model {

namespace {

class Reviewer {
 public:
  Reviewer(ReviewContext context, TrainedModelPlaces places)
      : runtimes_(std::move(context.runtimes)), config_(context.config), places_(places) {}

  ObjectReview Review(const Object& object) {
    review_ = {
        .object = &object, .problems = object.problems, .unknown_fields = FindUnknownFields(object), .selection = {}};
    CheckIdentity(object);
    std::visit([&](const auto& typed) { ReviewTyped(typed); }, object.typed);
    return std::move(review_);
  }

 private:
  void Add(manifest::Problems problems) { std::ranges::move(problems, std::back_inserter(review_.problems)); }

  void CheckIdentity(const Object& object) {
    const ObjectMeta& metadata = object.metadata();
    if (metadata.name.empty()) return;
    if (identities_.emplace(object.api_version, object.kind, metadata.namespace_name, metadata.name).second) return;
    Add({{.position = object.position, .path = "metadata.name", .message = "the same object is given twice"}});
  }

  void ReviewTyped(const InferenceService& service) {
    const InferenceServiceConfig& config = config_ == nullptr ? no_config_ : *config_;
    const InferenceService defaulted = ApplyDefaults(service, config);
    Add(Validate(defaulted));
    if (DeploymentModeOf(defaulted, config) == DeploymentMode::kRawDeployment) CheckHosts(defaulted, config);
    if (!defaulted.predictor.model.has_value() || !review_.problems.empty()) return;
    review_.selection = SelectRuntime(*defaulted.predictor.model, defaulted.metadata.namespace_name, runtimes_);
    std::string event = review_.selection->failure_event;
    if (review_.selection->runtime != nullptr) {
      const auto pod = ResolvePredictor(defaulted, review_.selection->runtime);
      if (pod.has_value()) return;
      event = pod.error().event;
    }
    const manifest::Value& predictor = *defaulted.document.Find("spec")->Find("predictor");
    Add({{.position = predictor.Find("model")->position(), .path = "spec.predictor.model", .message = event}});
  }

  void CheckHosts(const InferenceService& service, const InferenceServiceConfig& config) {
    std::vector<std::string> names = {service.metadata.name, ComponentObjectName(service, ComponentKind::kPredictor)};
    if (service.transformer.has_value()) names.push_back(ComponentObjectName(service, ComponentKind::kTransformer));
    if (service.explainer.has_value()) names.push_back(ComponentObjectName(service, ComponentKind::kExplainer));
    for (const std::string& name : names) {
      const auto host = ExternalHost(service, name, config);
      if (host.has_value() || !review_.problems.empty()) continue;
      Add({{.position = review_.object->position, .path = "metadata.name", .message = host.error().message()}});
    }
  }

  void ReviewTyped(const ServingRuntime& runtime) { Add(Validate(runtime, runtimes_)); }
  void ReviewTyped(const InferenceGraph& graph) { Add(Validate(graph)); }
  void ReviewTyped(const TrainedModel& model) { Add(Validate(model, places_)); }
  void ReviewTyped(const InferenceServiceConfig&) {}
  void ReviewTyped(const OtherObject&) {}

  const std::vector<const ServingRuntime*> runtimes_;
  const InferenceServiceConfig no_config_;
  const InferenceServiceConfig* const config_;
  const TrainedModelPlaces places_;
  std::set<std::tuple<std::string, std::string, std::string, std::string>> identities_;
  ObjectReview review_;
};

}  // namespace

ReviewContext ContextOf(std::span<const Object* const> objects, std::span<const ServingRuntime* const> known) {
  ReviewContext context;
  for (const Object* object : objects) {
    if (const auto* runtime = std::get_if<ServingRuntime>(&object->typed)) context.runtimes.push_back(runtime);
    if (const auto* config = std::get_if<InferenceServiceConfig>(&object->typed)) context.config = config;
  }
  const std::vector<const ServingRuntime*> applied = context.runtimes;
  std::ranges::copy_if(known, std::back_inserter(context.runtimes), [&](const ServingRuntime* runtime) {
    return std::ranges::none_of(applied, [&](const ServingRuntime* other) {
      return other->cluster_wide == runtime->cluster_wide && other->metadata.name == runtime->metadata.name &&
             other->metadata.namespace_name == runtime->metadata.namespace_name;
    });
  });
  return context;
}

std::vector<ObjectReview> ReviewObjects(std::span<const Object* const> objects,
                                        std::span<const ServingRuntime* const> known, TrainedModelPlaces places) {
  Reviewer reviewer(ContextOf(objects, known), places);
  std::vector<ObjectReview> reviews;
  for (const Object* object : objects) reviews.push_back(reviewer.Review(*object));
  return reviews;
}

}  // namespace inferd::model

#include "kserve/model/resolve/defaulting.h"

#include <algorithm>
#include <utility>

#include "kserve/model/api/annotations.h"
#include "kserve/model/api/pod_spec.h"

namespace inferd::model {

namespace {

using manifest::Value;

constexpr std::string_view kDefaultCpu = "1";
constexpr std::string_view kDefaultMemory = "2Gi";

void DefaultMode(Value& document, const InferenceServiceConfig& config) {
  if (config.default_mode == DeploymentMode::kServerless) return;
  Value* metadata = document.Find("metadata");
  if (metadata == nullptr || !metadata->is(manifest::Kind::kMap)) return;
  Value& annotations = metadata->At("annotations");
  if (annotations.is(manifest::Kind::kNull)) annotations = Value::Map();
  if (!annotations.is(manifest::Kind::kMap) || annotations.Find(kDeploymentModeAnnotation) != nullptr) return;
  annotations.Set(kDeploymentModeAnnotation, Value::String(std::string(DeploymentModeName(config.default_mode))));
}

// Replaces the legacy framework's member by `model`, with the format before its other fields.
void DefaultModel(Value& predictor, const Predictor& typed) {
  if (typed.model.has_value() || typed.legacy.empty()) return;
  const std::string& framework = typed.legacy.front().framework;
  const auto member = std::ranges::find(predictor.members(), framework, &manifest::Member::key);
  if (member == predictor.members().end()) return;
  Value model = Value::Map();
  model.set_position(member->value.position());
  model.MapAt("modelFormat").Set("name", Value::String(framework));
  const bool speaks_v2 = framework == "triton" || framework == "onnx";
  if (speaks_v2 && !typed.legacy.front().protocol_version.has_value()) {
    model.Set("protocolVersion", Value::String("v2"));
  }
  for (manifest::Member& field : member->value.members()) {
    if (!field.value.is(manifest::Kind::kNull)) model.members().push_back(std::move(field));
  }
  member->key = "model";
  member->value = std::move(model);
}

void DefaultResources(Value& container) {
  Value& resources = container.At("resources");
  if (resources.is(manifest::Kind::kNull)) resources = Value::Map();
  if (!resources.is(manifest::Kind::kMap)) return;
  for (const std::string_view kind : {"limits", "requests"}) {
    Value& amounts = resources.At(kind);
    if (amounts.is(manifest::Kind::kNull)) amounts = Value::Map();
    if (!amounts.is(manifest::Kind::kMap)) continue;
    for (const auto& [name, amount] : {std::pair("cpu", kDefaultCpu), std::pair("memory", kDefaultMemory)}) {
      if (amounts.At(name).is(manifest::Kind::kNull)) amounts.Set(name, Value::String(std::string(amount)));
    }
  }
}

// Defaults a component whose implementation is its containers.
void DefaultCustom(Value& component) {
  Value* containers = component.Find("containers");
  if (containers == nullptr || containers->items().empty()) return;
  Value& serving = containers->items().front();
  if (!serving.is(manifest::Kind::kMap)) return;
  serving.Set("name", Value::String(std::string(kServingContainer)));
  DefaultResources(serving);
}

}  // namespace

InferenceService ApplyDefaults(const InferenceService& service, const InferenceServiceConfig& config) {
  Value document = service.document;
  if (!document.is(manifest::Kind::kMap)) return service;
  DefaultMode(document, config);
  if (Value* spec = document.Find("spec"); spec != nullptr) {
    if (Value* predictor = spec->Find("predictor"); predictor != nullptr) {
      DefaultModel(*predictor, service.predictor);
      if (!service.predictor.model.has_value() && service.predictor.legacy.empty()) DefaultCustom(*predictor);
    }
    if (Value* transformer = spec->Find("transformer"); transformer != nullptr) DefaultCustom(*transformer);
    Value* explainer = spec->Find("explainer");
    const bool custom = service.explainer.has_value() && service.explainer->implementations.empty();
    if (explainer != nullptr && custom) DefaultCustom(*explainer);
  }
  manifest::Problems already_reported;
  return ReadInferenceService(std::move(document), already_reported);
}

DeploymentMode DeploymentModeOf(const ObjectMeta& metadata, const InferenceServiceConfig& config) {
  return ParseDeploymentMode(metadata.annotation(kDeploymentModeAnnotation)).value_or(config.default_mode);
}

}  // namespace inferd::model

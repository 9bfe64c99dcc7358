#include "controlplane/api/inference_service.h"

#include <algorithm>
#include <utility>

#include "controlplane/api/pod_spec.h"

namespace inferd::controlplane {

namespace {

using manifest::Fields;
using manifest::Value;

constexpr std::array<std::string_view, 6> kModelFields = {"storageUri",      "storage",     "runtimeVersion",
                                                          "protocolVersion", "modelFormat", "runtime"};
constexpr std::array<std::string_view, 3> kExplainers = {"alibi", "aix", "art"};
constexpr std::array<std::string_view, 4> kExplainerFields = {"type", "storageUri", "runtimeVersion", "config"};

// The fields of `value` that are none of `others`.
Value ContainerOf(const Value& value, std::span<const std::string_view> others) {
  Value container = Value::Map();
  for (const manifest::Member& member : value.members()) {
    if (std::ranges::find(others, member.key) == others.end()) container.members().push_back(member);
  }
  return container;
}

void ReadModelFields(Fields& fields, ModelFields& model) {
  fields.Read("storageUri", model.storage_uri);
  fields.Read("runtimeVersion", model.runtime_version);
  fields.Read("protocolVersion", model.protocol_version);
  if (std::optional<Fields> storage = fields.Map("storage")) {
    StorageSpec& target = model.storage.emplace();
    storage->Read("path", target.path);
    storage->Read("schemaPath", target.schema_path);
    storage->Read("key", target.storage_key);
    storage->Read("parameters", target.parameters);
  }
  CheckContainer(fields);
  model.container = ContainerOf(fields.value(), kModelFields);
}

ModelSpec ReadModel(Fields& fields) {
  ModelSpec model;
  ReadModelFields(fields, model);
  fields.Read("runtime", model.runtime);
  std::optional<Fields> format = fields.Map("modelFormat");
  if (format.has_value()) {
    format->Read("name", model.format.name);
    format->Read("version", model.format.version);
    if (format->Find("name") == nullptr) format->Fail("name", "is required");
  } else if (fields.Find("modelFormat") == nullptr) {
    fields.Fail("modelFormat", "is required");
  }
  return model;
}

Predictor ReadPredictor(Fields& fields) {
  std::vector<std::string_view> implementations(kLegacyFrameworks.begin(), kLegacyFrameworks.end());
  implementations.emplace_back("model");
  Predictor predictor{ReadComponent(fields, implementations), {}, {}};
  for (const std::string_view framework : kLegacyFrameworks) {
    std::optional<Fields> legacy = fields.Map(framework);
    if (!legacy.has_value()) continue;
    LegacyModel& model = predictor.legacy.emplace_back();
    model.framework = framework;
    ReadModelFields(*legacy, model);
  }
  if (std::optional<Fields> model = fields.Map("model")) predictor.model = ReadModel(*model);
  return predictor;
}

Explainer ReadExplainer(Fields& fields) {
  Explainer explainer{ReadComponent(fields, kExplainers), {}};
  for (const std::string_view kind : kExplainers) {
    std::optional<Fields> implementation = fields.Map(kind);
    if (!implementation.has_value()) continue;
    Explainer::Implementation& target = explainer.implementations.emplace_back();
    target.kind = kind;
    implementation->Read("type", target.type);
    implementation->Read("storageUri", target.storage_uri);
    implementation->Read("runtimeVersion", target.runtime_version);
    implementation->Read("config", target.config);
    CheckContainer(*implementation);
    target.container = ContainerOf(implementation->value(), kExplainerFields);
  }
  return explainer;
}

}  // namespace

InferenceService ReadInferenceService(Value document, manifest::Problems& problems) {
  InferenceService service;
  service.document = std::move(document);
  Fields object(service.document, "", problems);
  service.metadata = ReadObjectMeta(object, true);
  std::optional<Fields> spec = object.Map("spec");
  if (!spec.has_value()) {
    if (object.Find("spec") == nullptr) object.Fail("spec", "is required");
    return service;
  }
  if (std::optional<Fields> predictor = spec->Map("predictor")) {
    service.predictor = ReadPredictor(*predictor);
  } else if (spec->Find("predictor") == nullptr) {
    spec->Fail("predictor", "is required");
  }
  if (std::optional<Fields> transformer = spec->Map("transformer"))
    service.transformer = ReadComponent(*transformer, {});
  if (std::optional<Fields> explainer = spec->Map("explainer")) service.explainer = ReadExplainer(*explainer);
  return service;
}

}  // namespace inferd::controlplane

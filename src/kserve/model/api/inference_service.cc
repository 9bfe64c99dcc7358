#include "kserve/model/api/inference_service.h"

#include <algorithm>
#include <utility>

#include "kserve/model/api/empty_values.h"
#include "kserve/model/api/field_types.h"
#include "kserve/model/api/pod_spec.h"

namespace inferd::model {

namespace {

using manifest::Fields;
using manifest::Value;

constexpr std::array<std::string_view, 6> kModelFields = {"storageUri",      "storage",     "runtimeVersion",
                                                          "protocolVersion", "modelFormat", "runtime"};
constexpr std::array<std::string_view, 3> kExplainers = {"alibi", "aix", "art"};
constexpr std::array<std::string_view, 6> kExplainerFields = {"type",           "storageUri",      "storage",
                                                              "runtimeVersion", "protocolVersion", "config"};

// Returns the fields of `value` except `others`.
Value ContainerOf(const Value& value, std::span<const std::string_view> others) {
  Value container = Value::Map();
  const auto is_of = [](std::string_view key, const auto& keys) { return std::ranges::find(keys, key) != keys.end(); };
  for (const manifest::Member& member : value.members()) {
    if (!is_of(member.key, others) && !is_of(member.key, kNewerModelFields)) container.members().push_back(member);
  }
  return WithoutNulls(std::move(container));
}

std::optional<StorageSpec> ReadStorage(Fields& fields) {
  std::optional<Fields> storage = fields.Map("storage");
  if (!storage.has_value()) return std::nullopt;
  StorageSpec read;
  storage->Read("path", read.path);
  storage->Read("schemaPath", read.schema_path);
  storage->Read("key", read.storage_key);
  storage->Read("parameters", read.parameters);
  return read;
}

void ReadModelFields(Fields& fields, ModelFields& model) {
  fields.Read("storageUri", model.storage_uri);
  fields.Read("runtimeVersion", model.runtime_version);
  fields.Read("protocolVersion", model.protocol_version);
  model.storage = ReadStorage(fields);
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
    target.storage = ReadStorage(*implementation);
    implementation->Read("runtimeVersion", target.runtime_version);
    implementation->Read("protocolVersion", target.protocol_version);
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
  CheckFieldTypes("InferenceService", object);
  return service;
}

}  // namespace inferd::model

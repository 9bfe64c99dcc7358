#include "kserve/model/api/trained_model.h"

#include <utility>

#include "data/manifest/quantity.h"
#include "kserve/model/api/field_types.h"

namespace inferd::model {

namespace {

using manifest::Fields;

void ReadModelSpec(Fields& model, TrainedModel& trained) {
  model.Read("storageUri", trained.storage_uri);
  model.Read("framework", trained.framework);
  model.ReadTextOrNumber("memory", trained.memory);
  for (const std::string_view key : {"storageUri", "framework", "memory"}) {
    if (model.Find(key) == nullptr) model.Fail(key, "is required");
  }
  if (trained.memory.empty()) return;
  if (const auto memory = manifest::ParseQuantity(trained.memory); !memory.has_value()) {
    model.Fail("memory", memory.error().message());
  }
}

}  // namespace

TrainedModel ReadTrainedModel(manifest::Value document, manifest::Problems& problems) {
  TrainedModel trained;
  trained.document = std::move(document);
  Fields object(trained.document, "", problems);
  trained.metadata = ReadObjectMeta(object, true);
  std::optional<Fields> spec = object.Map("spec");
  if (!spec.has_value()) {
    if (object.Find("spec") == nullptr) object.Fail("spec", "is required");
    return trained;
  }
  spec->Read("inferenceService", trained.inference_service);
  if (spec->Find("inferenceService") == nullptr) spec->Fail("inferenceService", "is required");
  if (std::optional<Fields> model = spec->Map("model")) {
    ReadModelSpec(*model, trained);
  } else if (spec->Find("model") == nullptr) {
    spec->Fail("model", "is required");
  }
  CheckFieldTypes("TrainedModel", object);
  return trained;
}

}  // namespace inferd::model

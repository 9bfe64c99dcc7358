#include "kserve/model/schema/definition.h"

#include <algorithm>

#include "kserve/model/schema/definitions.h"

namespace inferd::model {

const Field* Definition::Find(std::string_view field) const {
  const auto found = std::ranges::find(fields, field, &Field::name);
  return found == fields.end() ? nullptr : &*found;
}

const Definition* FindSpecDefinition(std::string_view kind) {
  if (kind == "InferenceService") return &ServiceDefinition();
  if (kind == "ServingRuntime" || kind == "ClusterServingRuntime") return &RuntimeDefinition();
  if (kind == "InferenceGraph") return &GraphDefinition();
  if (kind == "TrainedModel") return &TrainedModelDefinition();
  return nullptr;
}

}  // namespace inferd::model

#pragma once

#include <initializer_list>
#include <vector>

#include "kserve/model/schema/definition.h"

// The tables behind FindSpecDefinition. Each is created once. Thread-safe.

namespace inferd::model {

const Definition& ServiceDefinition();       // InferenceServiceSpec
const Definition& RuntimeDefinition();       // ServingRuntimeSpec
const Definition& GraphDefinition();         // InferenceGraphSpec
const Definition& TrainedModelDefinition();  // TrainedModelSpec

// Kubernetes' own types.
const Definition& ContainerDefinition();
const std::vector<Field>& ContainerFields();
const std::vector<Field>& PodSpecFields();

// Returns the fields of all lists, in order.
inline std::vector<Field> JoinedFields(std::initializer_list<std::vector<Field>> lists) {
  std::vector<Field> joined;
  for (const std::vector<Field>& list : lists) joined.insert(joined.end(), list.begin(), list.end());
  return joined;
}

}  // namespace inferd::model

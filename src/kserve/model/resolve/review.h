#pragma once

#include <optional>
#include <span>
#include <vector>

#include "data/manifest/problem.h"
#include "kserve/model/api/object.h"
#include "kserve/model/api/unknown_fields.h"
#include "kserve/model/resolve/runtime_selection.h"
#include "kserve/model/resolve/storage_uri.h"

namespace inferd::model {

// What is known of an object before it is applied.
struct ObjectReview {
  const Object* object = nullptr;
  manifest::Problems problems;                // empty: it can be applied
  std::vector<UnknownField> unknown_fields;   // that would be dropped
  std::optional<RuntimeSelection> selection;  // of an InferenceService whose predictor is a model
};

// By what objects that are applied together are decided about, beside themselves.
struct ReviewContext {
  std::vector<const ServingRuntime*> runtimes;     // theirs, then those known that none of theirs is in place of
  const InferenceServiceConfig* config = nullptr;  // the last of theirs; null: KServe's defaults
};
ReviewContext ContextOf(std::span<const Object* const> objects, std::span<const ServingRuntime* const> known);

// Reviews objects that are applied together: reads, defaults and validates each, and selects the runtimes of the
// InferenceServices among `known` and those that are applied, which go before known ones of the same name. The last
// inferenceservice-config of the objects is the configuration. In raw mode, the hosts of a service's components are
// looked at, too: what namespace and domain add to a name may make it too long. `places`: of TrainedModels. All
// arguments outlive the result. Thread-safe.
std::vector<ObjectReview> ReviewObjects(std::span<const Object* const> objects,
                                        std::span<const ServingRuntime* const> known,
                                        TrainedModelPlaces places = TrainedModelPlaces::kRemote);

}  // namespace inferd::model

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

// The findings about an object before it is applied.
struct ObjectReview {
  const Object* object = nullptr;
  manifest::Problems problems;                // empty if it can be applied
  std::vector<UnknownField> unknown_fields;   // fields that would be dropped
  std::optional<RuntimeSelection> selection;  // of an InferenceService whose predictor has a model
};

// The context of objects that are applied together: runtimes and configuration.
struct ReviewContext {
  std::vector<const ServingRuntime*> runtimes;     // the applied ones, then known ones that they do not replace
  const InferenceServiceConfig* config = nullptr;  // the last one applied; KServe's defaults if null
};
ReviewContext ContextOf(std::span<const Object* const> objects, std::span<const ServingRuntime* const> known);

// Reviews objects that are applied together: reads, defaults and validates each, and selects the runtimes of the
// InferenceServices. Runtimes come from `known` and from the objects, which replace known ones of the same name. The
// last inferenceservice-config of the objects is the configuration. In raw mode, the hosts of a service's components
// are checked too: with namespace and domain, a name may be too long. `places` is for TrainedModels. All arguments must
// outlive the result. Thread-safe.
std::vector<ObjectReview> ReviewObjects(std::span<const Object* const> objects,
                                        std::span<const ServingRuntime* const> known,
                                        TrainedModelPlaces places = TrainedModelPlaces::kRemote);

}  // namespace inferd::model

#pragma once

#include <span>
#include <string>
#include <vector>

#include "kserve/model/api/inference_service.h"
#include "kserve/model/api/inference_service_config.h"
#include "kserve/model/api/serving_runtime.h"

namespace inferd::model {

// A field or an annotation of an object that has no effect in its service's mode.
struct UnheededField {
  std::string path;  // "spec.predictor.canaryTrafficPercent"
  std::string why;   // with an alternative, if there is one

  // Returns "spec.predictor.canaryTrafficPercent: why".
  std::string ToString() const { return path + ": " + why; }
  bool operator==(const UnheededField&) const = default;
};

// How requests reach the pods of a service.
struct ServingWay {
  DeploymentMode mode = DeploymentMode::kServerless;
  bool by_gateway = false;  // true if inferd's gateway counts and splits requests (see UsesGateway)
};

// Returns the fields of a valid service that have no effect when served in that way, in the order of its components.
// KServe ignores them silently. `service` must have its defaults. The result includes fields of newer versions of
// KServe. Fields that the kind does not have at all are reported elsewhere (api/unknown_fields.h). Thread-safe.
std::vector<UnheededField> UnheededFields(const InferenceService& service, ServingWay way,
                                          const InferenceServiceConfig& config);

// Does the same for a runtime that serves a model: "ServingRuntime mine: spec.replicas". A priority that one of the
// `others` has too, for the same format, has no effect either. `others` may contain the runtime itself. Thread-safe.
std::vector<UnheededField> UnheededFields(const ServingRuntime& runtime, std::span<const ServingRuntime* const> others);

}  // namespace inferd::model

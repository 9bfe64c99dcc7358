#pragma once

#include <span>
#include <string>
#include <vector>

#include "kserve/model/api/inference_service.h"
#include "kserve/model/api/inference_service_config.h"
#include "kserve/model/api/serving_runtime.h"

namespace inferd::model {

// A field, or an annotation, that an object has and that does nothing in its service's mode.
struct UnheededField {
  std::string path;  // "spec.predictor.canaryTrafficPercent"
  std::string why;   // with what to do instead, where there is something

  // "spec.predictor.canaryTrafficPercent: why".
  std::string ToString() const { return path + ": " + why; }
  bool operator==(const UnheededField&) const = default;
};

// How requests come to the pods of a service.
struct ServingWay {
  DeploymentMode mode = DeploymentMode::kServerless;
  bool by_gateway = false;  // by inferd's gateway, which counts requests and shares them out (UsesGateway)
};

// What KServe would pass over in silence: fields of a valid service that change nothing of what is made of it in that
// way, in the order of its components. `service` has its defaults. Fields of newer versions of KServe are among them,
// others that its kind does not have are not (api/unknown_fields.h). Thread-safe.
std::vector<UnheededField> UnheededFields(const InferenceService& service, ServingWay way,
                                          const InferenceServiceConfig& config);

// Likewise of the runtime that serves a model: "ServingRuntime mine: spec.replicas". A priority does nothing, too,
// where it does not tell the runtime from one of the `others`, which may have itself among them. Thread-safe.
std::vector<UnheededField> UnheededFields(const ServingRuntime& runtime, std::span<const ServingRuntime* const> others);

}  // namespace inferd::model

#pragma once

#include <string>
#include <vector>

#include "controlplane/api/inference_service.h"
#include "controlplane/api/inference_service_config.h"

namespace inferd::controlplane {

// A field, or an annotation, that a service has and that does nothing in its mode.
struct UnheededField {
  std::string path;  // "spec.predictor.canaryTrafficPercent"
  std::string why;   // with what to do instead, where there is something

  // "spec.predictor.canaryTrafficPercent: why".
  std::string ToString() const { return path + ": " + why; }
  bool operator==(const UnheededField&) const = default;
};

// What KServe would pass over in silence: fields of a valid service that change nothing of what MakeDesiredObjects
// makes of it in that mode, in the order of its components. `service` has its defaults. Fields that its kind does not
// have are not among them (api/unknown_fields.h). Thread-safe.
std::vector<UnheededField> UnheededFields(const InferenceService& service, DeploymentMode mode,
                                          const InferenceServiceConfig& config);

}  // namespace inferd::controlplane

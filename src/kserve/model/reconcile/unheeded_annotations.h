#pragma once

#include <string_view>
#include <vector>

#include "kserve/model/reconcile/unheeded_fields.h"

namespace inferd::model {

// The reason why a field or an annotation for an autoscaler has no effect.
inline constexpr std::string_view kNoAutoscaler = "the autoscaler class makes no autoscaler";

// Returns the service's annotations that have no effect, or that have an unusable value: a part of UnheededFields.
// Thread-safe.
std::vector<UnheededField> UnheededAnnotations(const InferenceService& service, ServingWay way,
                                               const InferenceServiceConfig& config);

}  // namespace inferd::model

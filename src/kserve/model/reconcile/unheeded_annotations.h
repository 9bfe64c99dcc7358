#pragma once

#include <string_view>
#include <vector>

#include "kserve/model/reconcile/unheeded_fields.h"

namespace inferd::model {

// Why what is for an autoscaler does nothing, of a field as of an annotation.
inline constexpr std::string_view kNoAutoscaler = "the autoscaler class makes no autoscaler";

// The annotations of a service that do nothing in that way, or that say nothing that can be gone by: a part of
// UnheededFields. Thread-safe.
std::vector<UnheededField> UnheededAnnotations(const InferenceService& service, ServingWay way,
                                               const InferenceServiceConfig& config);

}  // namespace inferd::model

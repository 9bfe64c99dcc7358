#pragma once

#include <vector>

#include "controlplane/reconcile/unheeded_fields.h"

namespace inferd::controlplane {

// The annotations of a service that do nothing in that way, or that say nothing that can be gone by: a part of
// UnheededFields. Thread-safe.
std::vector<UnheededField> UnheededAnnotations(const InferenceService& service, ServingWay way,
                                               const InferenceServiceConfig& config);

}  // namespace inferd::controlplane

#pragma once

#include <string>

#include "data/manifest/value.h"
#include "kserve/model/status/service_state.h"

namespace inferd::local {

// Returns a replica as a Kubernetes Pod object, with the fields that are known here. `service` is the
// InferenceService's document. Thread-safe.
manifest::Value MakePod(const manifest::Value& service, const model::ComponentState& component,
                        const model::RevisionState& revision, const model::ReplicaStatus& replica);

}  // namespace inferd::local

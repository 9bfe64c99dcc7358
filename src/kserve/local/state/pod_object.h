#pragma once

#include <string>

#include "data/manifest/value.h"
#include "kserve/model/status/service_state.h"

namespace inferd::local {

// A replica as Kubernetes' object of the kind Pod, as far as there is something to say of it here. `service`: the
// InferenceService's document. Thread-safe.
manifest::Value MakePod(const manifest::Value& service, const model::ComponentState& component,
                        const model::RevisionState& revision, const model::ReplicaStatus& replica);

}  // namespace inferd::local

#pragma once

#include <string>

#include "controller/state/service_state.h"
#include "manifest/value.h"

namespace inferd::controller {

// A replica as Kubernetes' object of the kind Pod, as far as there is something to say of it here. `service`: the
// InferenceService's document. Thread-safe.
manifest::Value MakePod(const manifest::Value& service, const ComponentState& component, const RevisionState& revision,
                        const node::ReplicaStatus& replica);

}  // namespace inferd::controller

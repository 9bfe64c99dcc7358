#pragma once

#include <string>

#include "controlplane/status/service_state.h"
#include "manifest/value.h"

namespace inferd::controller {

// A replica as Kubernetes' object of the kind Pod, as far as there is something to say of it here. `service`: the
// InferenceService's document. Thread-safe.
manifest::Value MakePod(const manifest::Value& service, const controlplane::ComponentState& component,
                        const controlplane::RevisionState& revision, const controlplane::ReplicaStatus& replica);

}  // namespace inferd::controller

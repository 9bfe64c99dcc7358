#pragma once

#include "base/status.h"
#include "kserve/model/pods/inject/pod_injection.h"
#include "kserve/model/pods/pod_resolution.h"

namespace inferd::model {

// Adds the container `agent` if the pod's annotations ask for it and the pod has none yet (see InjectPod). Thread-safe.
base::Status InjectAgent(const PodInjection& injection, ResolvedPod& pod);

}  // namespace inferd::model

#pragma once

#include "base/status.h"
#include "kserve/model/pods/inject/pod_injection.h"
#include "kserve/model/pods/pod_resolution.h"

namespace inferd::model {

// Puts the container `agent` into a pod whose annotations ask for it, and that has none yet (InjectPod). Any thread.
base::Status InjectAgent(const PodInjection& injection, ResolvedPod& pod);

}  // namespace inferd::model

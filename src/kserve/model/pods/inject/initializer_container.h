#pragma once

#include "base/status.h"
#include "kserve/model/pods/inject/pod_injection.h"
#include "kserve/model/pods/pod_resolution.h"

namespace inferd::model {

// Puts the init container `storage-initializer` into a pod that has a model, and none yet (InjectPod). Any thread.
base::Status InjectStorageInitializer(const PodInjection& injection, ResolvedPod& pod);

}  // namespace inferd::model

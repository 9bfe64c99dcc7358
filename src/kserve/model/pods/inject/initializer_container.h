#pragma once

#include "base/status.h"
#include "kserve/model/pods/inject/pod_injection.h"
#include "kserve/model/pods/pod_resolution.h"

namespace inferd::model {

// Adds the init container `storage-initializer` if the pod has a model and no such container yet (see InjectPod).
// Thread-safe.
base::Status InjectStorageInitializer(const PodInjection& injection, ResolvedPod& pod);

}  // namespace inferd::model

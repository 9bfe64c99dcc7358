#pragma once

#include "base/status.h"
#include "controlplane/pods/inject/pod_injection.h"
#include "controlplane/pods/pod_resolution.h"

namespace inferd::controlplane {

// Puts the init container `storage-initializer` into a pod that has a model, and none yet (InjectPod). Any thread.
base::Status InjectStorageInitializer(const PodInjection& injection, ResolvedPod& pod);

}  // namespace inferd::controlplane

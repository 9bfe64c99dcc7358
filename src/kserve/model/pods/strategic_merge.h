#pragma once

#include "base/status.h"
#include "data/manifest/value.h"

namespace inferd::model {

// `base` with `patch` on top (Kubernetes: strategic merge patch of a PodSpec or a Container; no directives such as
// `$patch`). Thread-safe.
//
// Maps are merged member by member, nulls of the patch left out. Lists that have a merge key are merged item by item:
// env, volumes, containers, initContainers and imagePullSecrets by name, ports by containerPort, volumeMounts by
// mountPath, volumeDevices by devicePath, hostAliases by ip. The patch's items keep their order and go before the
// base's that they do not replace, but behind those that stood before an item of both. All other lists and values are
// replaced.
//
// INVALID_ARGUMENT: an item of such a list lacks its merge key.
base::Result<manifest::Value> StrategicMerge(const manifest::Value& base, const manifest::Value& patch);

}  // namespace inferd::model

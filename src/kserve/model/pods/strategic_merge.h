#pragma once

#include "base/status.h"
#include "data/manifest/value.h"

namespace inferd::model {

// Returns `base` with `patch` applied (Kubernetes: strategic merge patch of a PodSpec or a Container, without
// directives such as `$patch`). Thread-safe.
//
// Maps are merged member by member, without the patch's nulls. Lists with a merge key are merged item by item: env,
// volumes, containers, initContainers and imagePullSecrets by name, ports by containerPort, volumeMounts by mountPath,
// volumeDevices by devicePath, hostAliases by ip. The patch's items keep their order. They come before the base's other
// items, but after base items that precede a common item. All other lists and values are replaced.
//
// INVALID_ARGUMENT if an item of such a list lacks its merge key.
base::Result<manifest::Value> StrategicMerge(const manifest::Value& base, const manifest::Value& patch);

}  // namespace inferd::model

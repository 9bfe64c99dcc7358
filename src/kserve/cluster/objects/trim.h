#pragma once

#include "data/manifest/value.h"

namespace inferd::cluster {

// Functions that shrink watched objects, because thousands of them stay in memory. Thread-safe.

// Removes metadata.managedFields.
void TrimManagedFields(manifest::Value& object);
// Removes everything but a pod's metadata and status. The spec is known from the pod's owner.
void TrimPod(manifest::Value& pod);

}  // namespace inferd::cluster

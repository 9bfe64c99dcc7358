#pragma once

#include "data/manifest/value.h"

namespace inferd::cluster {

// What is kept of objects that are followed: thousands of them stay in memory. Thread-safe, all of them.

// All but who manages which field.
void TrimManagedFields(manifest::Value& object);
// Of a pod, its metadata and its status: what it is made of is known by what made it.
void TrimPod(manifest::Value& pod);

}  // namespace inferd::cluster

#pragma once

#include "data/manifest/value.h"
#include "kserve/apiserver/objects/resource_type.h"

namespace inferd::apiserver {

// Returns the CustomResourceDefinition (apiextensions.k8s.io/v1) that registers a kind at a cluster's API server. It
// has the kind's names, its columns of `kubectl get`, and a structural schema. Unknown fields are dropped, as with
// KServe's own definitions. Values that `kserve/model/schema` does not define may be anything. Null if the kind is not
// KServe's. Thread-safe.
manifest::Value MakeCustomResource(const ResourceType& type);

}  // namespace inferd::apiserver

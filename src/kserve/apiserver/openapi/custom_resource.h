#pragma once

#include "data/manifest/value.h"
#include "kserve/apiserver/objects/resource_type.h"

namespace inferd::apiserver {

// The CustomResourceDefinition (apiextensions.k8s.io/v1) that has a cluster's API server know a kind: its names, its
// columns of `kubectl get`, and a structural schema, so that fields that there are not are left out, as KServe's own
// definitions do. What the definitions of `kserve/model/schema` do not look into may be anything. Null: the kind is not
// KServe's. Thread-safe.
manifest::Value MakeCustomResource(const ResourceType& type);

}  // namespace inferd::apiserver

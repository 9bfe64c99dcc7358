#pragma once

#include <string_view>

#include "data/manifest/value.h"
#include "kserve/apiserver/objects/resource_type.h"

namespace inferd::apiserver {

// Adds the schema of a kind, and the schemas that it refers to, to a map by name
// ("io.kserve.serving.v1beta1.InferenceService"). References begin with `reference`. Kubernetes' own kinds have no
// definition here and add no schema, so that clients leave validation to the server. Thread-safe.
void AddSchemas(const ResourceType& type, std::string_view reference, manifest::Value& schemas);

}  // namespace inferd::apiserver

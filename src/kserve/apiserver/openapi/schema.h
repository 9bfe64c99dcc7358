#pragma once

#include <string_view>

#include "data/manifest/value.h"
#include "kserve/apiserver/objects/resource_type.h"

namespace inferd::apiserver {

// Adds the schema of a kind, and those that it refers to, to a map of schemas by name
// ("io.kserve.serving.v1beta1.InferenceService"); `reference` stands in front of names that are referred to. A kind
// without a definition, one of Kubernetes' own, adds none: clients leave its check to the server. Thread-safe.
void AddSchemas(const ResourceType& type, std::string_view reference, manifest::Value& schemas);

}  // namespace inferd::apiserver

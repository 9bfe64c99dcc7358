#pragma once

#include <optional>
#include <string_view>

#include "data/manifest/fields.h"
#include "data/manifest/value.h"
#include "kserve/apiserver/objects/registry.h"
#include "kserve/node/pod_data.h"

namespace inferd::local {

// Returns the current values of a Secret or a ConfigMap, decoded. nullopt if it does not exist. Thread-safe.
std::optional<manifest::StringMap> ReadPodData(const apiserver::Registry& registry, const node::DataSource& source);

// Returns the document of an object of the core group that a pod refers to. nullopt if it does not exist. Thread-safe.
std::optional<manifest::Value> ReadPodObject(const apiserver::Registry& registry, std::string_view kind,
                                             std::string_view namespace_name, std::string_view name);

}  // namespace inferd::local

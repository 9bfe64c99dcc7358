#pragma once

#include <optional>
#include <string_view>

#include "data/manifest/fields.h"
#include "data/manifest/value.h"
#include "kserve/apiserver/objects/registry.h"
#include "kserve/node/pod_data.h"

namespace inferd::local {

// The values of a Secret or a ConfigMap as they are now, decoded; nullopt: there is none. Thread-safe.
std::optional<manifest::StringMap> ReadPodData(const apiserver::Registry& registry, const node::DataSource& source);

// The document of an object that a pod refers to, of the core group; nullopt: there is none. Thread-safe.
std::optional<manifest::Value> ReadPodObject(const apiserver::Registry& registry, std::string_view kind,
                                             std::string_view namespace_name, std::string_view name);

}  // namespace inferd::local

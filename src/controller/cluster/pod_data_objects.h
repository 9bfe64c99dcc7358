#pragma once

#include <optional>

#include "apiserver/objects/registry.h"
#include "manifest/fields.h"
#include "node/pod_data.h"

namespace inferd::controller {

// The values of a Secret or a ConfigMap as they are now, decoded; nullopt: there is none. Thread-safe.
std::optional<manifest::StringMap> ReadPodData(const apiserver::Registry& registry, const node::DataSource& source);

}  // namespace inferd::controller

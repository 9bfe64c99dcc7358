#pragma once

#include <span>
#include <string_view>

#include "data/manifest/value.h"

namespace inferd::cluster {

// Returns true if the pod template of one of the objects (Deployments, Knative Services) has credentials from that
// Secret, or from any Secret of that ServiceAccount. Call it if the Secret or ServiceAccount was not found: a new
// template would lack the credentials, and its pods would replace those that have them. `kind` is "Secret" or
// "ServiceAccount". Pure; thread-safe.
bool HasCredentialsOf(std::span<const manifest::Value* const> objects, std::string_view kind, std::string_view name);

}  // namespace inferd::cluster

#pragma once

#include <optional>
#include <string_view>

#include "data/manifest/value.h"

namespace inferd::apiserver {

// What the API is, for clients that show it or check objects by it: the fields of KServe's kinds, and the parameters of
// each kind's requests. Thread-safe.

// All of it in one document (OpenAPI 2.0: Swagger).
manifest::Value OpenApiV2();

// The documents of the versions (Kubernetes: OpenAPI V3): "apis/serving.kserve.io/v1beta1" and the like, and where they
// are.
manifest::Value OpenApiV3Index();
// That of a version; `group` may be empty. nullopt: there is none.
std::optional<manifest::Value> OpenApiV3(std::string_view group, std::string_view version);

}  // namespace inferd::apiserver

#pragma once

#include <optional>
#include <string_view>

#include "data/manifest/value.h"

namespace inferd::apiserver {

// OpenAPI descriptions of the API, for clients that show it or validate objects with it: the fields of KServe's kinds,
// and the parameters of each kind's requests. Thread-safe.

// Returns the whole description in one document (OpenAPI 2.0: Swagger).
manifest::Value OpenApiV2();

// Returns the index of the documents by API version (Kubernetes: OpenAPI V3): "apis/serving.kserve.io/v1beta1" and the
// like, with their URLs.
manifest::Value OpenApiV3Index();
// Returns the document of an API version. `group` may be empty. nullopt if there is none.
std::optional<manifest::Value> OpenApiV3(std::string_view group, std::string_view version);

}  // namespace inferd::apiserver

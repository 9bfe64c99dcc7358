#pragma once

#include <string>

#include "data/manifest/value.h"

namespace inferd::apiserver {

// Encodes an OpenAPI 2.0 document in the form that kubectl asks for (gnostic: openapi.v2.Document). It has the paths
// with their operations, parameters and extensions, and the definitions, as far as OpenApiV2 writes them. Thread-safe.
std::string OpenApiProtobuf(const manifest::Value& document);

}  // namespace inferd::apiserver

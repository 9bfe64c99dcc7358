#pragma once

#include <string>

#include "data/manifest/value.h"

namespace inferd::apiserver {

// A document of OpenAPI 2.0 in the form that kubectl asks for (gnostic: openapi.v2.Document): of paths, the operations'
// parameters and extensions, and the definitions, as far as OpenApiV2 writes them. Thread-safe.
std::string OpenApiProtobuf(const manifest::Value& document);

}  // namespace inferd::apiserver

#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "net/http/http.h"

namespace inferd::apiserver {

// A document that describes the API: /version, /api, /apis and the paths below without a resource, /openapi/v2,
// /openapi/v3 and the paths below, /healthz, /livez, /readyz.
struct Document {
  std::string_view content_type;  // a literal
  std::string text;
};

// Returns the document of the request's path. nullopt if there is none.
std::optional<Document> FindDocument(const net::RequestHead& head);

}  // namespace inferd::apiserver

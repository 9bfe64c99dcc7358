#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "net/http/http.h"

namespace inferd::apiserver {

// A document that says what the API is, by its path: /version, /api, /apis and what is below them without a resource,
// /openapi/v2, /openapi/v3 and what is below it, /healthz, /livez, /readyz.
struct Document {
  std::string_view content_type;  // a literal
  std::string text;
};

// nullopt: there is none of this path.
std::optional<Document> FindDocument(const net::RequestHead& head);

}  // namespace inferd::apiserver

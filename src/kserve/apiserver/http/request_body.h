#pragma once

#include <string>
#include <vector>

#include "data/manifest/value.h"
#include "kserve/apiserver/objects/api_error.h"
#include "kserve/apiserver/objects/registry.h"
#include "net/http/http.h"

namespace inferd::apiserver {

// Kubernetes' limit of a request's body.
inline constexpr uint64_t kBodyBytesMax = 3 << 20;

// The one object of a body: JSON, or YAML where the Content-Type says so. A type that a page of another origin could
// send unasked is refused.
ApiResult<manifest::Value> ReadBody(const net::HttpRequest& request);

// The type of a PATCH by its Content-Type, and its document.
struct PatchBody {
  PatchType type = PatchType::kMerge;
  manifest::Value document;
};
ApiResult<PatchBody> ReadPatch(const net::HttpRequest& request);

// The options of a DELETE: its body, which may be empty, and its parameters.
ApiResult<DeleteOptions> ReadDeleteOptions(const net::HttpRequest& request);

}  // namespace inferd::apiserver

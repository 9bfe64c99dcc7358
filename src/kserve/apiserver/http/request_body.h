#pragma once

#include <string>
#include <vector>

#include "data/manifest/value.h"
#include "kserve/apiserver/objects/api_error.h"
#include "kserve/apiserver/objects/registry.h"
#include "net/http/http.h"

namespace inferd::apiserver {

// Kubernetes' limit for a request's body, in bytes.
inline constexpr uint64_t kBodyBytesMax = 3 << 20;

// Reads the only object of a body, as JSON or YAML by its Content-Type. Refuses the content types that a browser may
// send from a foreign page without asking.
ApiResult<manifest::Value> ReadBody(const net::HttpRequest& request);

// The type of a PATCH, from its Content-Type, and its document.
struct PatchBody {
  PatchType type = PatchType::kMerge;
  manifest::Value document;
};
ApiResult<PatchBody> ReadPatch(const net::HttpRequest& request);

// Reads the options of a DELETE from its parameters and its body, which may be empty.
ApiResult<DeleteOptions> ReadDeleteOptions(const net::HttpRequest& request);

}  // namespace inferd::apiserver

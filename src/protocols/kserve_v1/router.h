#pragma once

#include <string_view>

#include "net/http/http.h"
#include "protocols/access/group.h"

namespace inferd::kserve_v1 {

// The endpoints of KServe's V1 data plane.
enum class Endpoint {
  kNone,       // none of them
  kWrongVerb,  // a known path, but with another method
  kAlive,      // GET  /
  kModels,     // GET  v1/models
  kModel,      // GET  v1/models/M
  kPredict,    // POST v1/models/M:predict
  kExplain,    // POST v1/models/M:explain
};

// Returns the access group of an endpoint.
access::Group GroupOf(Endpoint endpoint);

// The route of a request. A view into the request's head.
struct Route {
  Endpoint endpoint = Endpoint::kNone;
  std::string_view model = {};
};

// Matches like KServe's servers: decoded segments, case-sensitive, ignoring the query.
Route FindRoute(const net::RequestHead& head);

}  // namespace inferd::kserve_v1

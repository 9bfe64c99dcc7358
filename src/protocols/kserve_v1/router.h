#pragma once

#include <string_view>

#include "net/http/http.h"
#include "protocols/access/group.h"

namespace inferd::kserve_v1 {

// The endpoints of KServe's V1 data plane.
enum class Endpoint {
  kNone,       // none of them
  kWrongVerb,  // the path of one, asked for by another method
  kAlive,      // GET  /
  kModels,     // GET  v1/models
  kModel,      // GET  v1/models/M
  kPredict,    // POST v1/models/M:predict
  kExplain,    // POST v1/models/M:explain
};

// What is restricted together with it.
access::Group GroupOf(Endpoint endpoint);

// Where a request goes. A view into the request's head.
struct Route {
  Endpoint endpoint = Endpoint::kNone;
  std::string_view model = {};
};

// As KServe's servers match: decoded segments, in their case, and the query does not matter.
Route FindRoute(const net::RequestHead& head);

}  // namespace inferd::kserve_v1

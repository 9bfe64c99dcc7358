#pragma once

#include <string_view>

#include "net/http/http.h"
#include "protocols/access/group.h"

namespace inferd::mlflow_http {

// The endpoints of MLflow's scoring server, also with a path for one model among several.
enum class Endpoint {
  kNone,         // none of them
  kWrongVerb,    // a known path, but with another method
  kPing,         // GET  ping, health
  kVersion,      // GET  version
  kInvocations,  // POST invocations, models/M/invocations
};

// Returns the access group of an endpoint.
access::Group GroupOf(Endpoint endpoint);

// The route of a request. A view into the request's head.
struct Route {
  Endpoint endpoint = Endpoint::kNone;
  std::string_view model = {};  // empty if the path has none
  std::string_view allow = {};  // for kWrongVerb: the allowed methods
};

Route FindRoute(const net::RequestHead& head);

}  // namespace inferd::mlflow_http

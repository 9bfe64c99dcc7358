#pragma once

#include <string_view>

#include "net/http/http.h"
#include "protocols/access/group.h"

namespace inferd::mlflow_http {

// The endpoints of MLflow's scoring server, and the same of one model among several.
enum class Endpoint {
  kNone,         // none of them
  kWrongVerb,    // the path of one, asked for by another method
  kPing,         // GET  ping, health
  kVersion,      // GET  version
  kInvocations,  // POST invocations, models/M/invocations
};

// What is restricted together with it.
access::Group GroupOf(Endpoint endpoint);

// Where a request goes. A view into the request's head.
struct Route {
  Endpoint endpoint = Endpoint::kNone;
  std::string_view model = {};  // empty: the path names none
  std::string_view allow = {};  // of kWrongVerb: the methods that there are
};

Route FindRoute(const net::RequestHead& head);

}  // namespace inferd::mlflow_http

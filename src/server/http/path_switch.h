#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "net/http/http.h"

namespace inferd::server {

// A handler, and the requests that it claims.
struct ClaimedPaths {
  std::function<bool(const net::RequestHead&)> claims;
  std::unique_ptr<net::HttpHandler> handler;
  net::RefusalForm refusal_form = nullptr;  // form of the transport's own error responses for them
};

// Creates a handler that passes each request to the first handler that claims it, or else to `rest`, so that protocols
// can share a port. Loop-bound, like the handlers.
std::unique_ptr<net::HttpHandler> MakePathSwitch(std::vector<ClaimedPaths> claimed, ClaimedPaths rest);

}  // namespace inferd::server

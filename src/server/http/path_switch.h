#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "net/http/http.h"

namespace inferd::server {

// A handler, and the requests that it is for.
struct ClaimedPaths {
  std::function<bool(const net::RequestHead&)> claims;
  std::unique_ptr<net::HttpHandler> handler;
  net::RefusalForm refusal_form = nullptr;  // of what the transport answers to them
};

// Gives each request to the first handler that claims it, and all others to `rest`, which is not asked: protocols share
// a port by their paths. Loop-bound, like the handlers.
std::unique_ptr<net::HttpHandler> MakePathSwitch(std::vector<ClaimedPaths> claimed, ClaimedPaths rest);

}  // namespace inferd::server

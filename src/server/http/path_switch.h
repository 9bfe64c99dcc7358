#pragma once

#include <functional>
#include <memory>

#include "net/http/http.h"

namespace inferd::server {

using PathTest = std::function<bool(const net::RequestHead&)>;

// Gives the requests that `chosen` knows to `first`, all others to `second`: protocols share a port by their paths.
// Loop-bound, like both.
std::unique_ptr<net::HttpHandler> MakePathSwitch(PathTest chosen, std::unique_ptr<net::HttpHandler> first,
                                                 std::unique_ptr<net::HttpHandler> second);

}  // namespace inferd::server

#pragma once

#include <memory>

#include "net/http.h"

namespace inferd::server {

// Gives the requests that `chosen` knows to `first`, all others to `second`: protocols share a port by their paths.
// Loop-bound, like both.
std::unique_ptr<net::HttpHandler> MakePathSwitch(bool (*chosen)(const net::RequestHead&),
                                                 std::unique_ptr<net::HttpHandler> first,
                                                 std::unique_ptr<net::HttpHandler> second);

}  // namespace inferd::server

#pragma once

#include <string>

#include "ctl/bench/load/load_protocol.h"
#include "net/client/http_client.h"
#include "net/client/url.h"

namespace inferd::ctl {

// Returns the bytes of a keep-alive request to `url`.
std::string SerializeRequest(const net::Url& url, const net::ClientRequest& request);

// Repeats `request` over HTTP/1.1, with one call at a time per connection. A status 2xx is success.
LoadProtocolFactory HttpLoad(const net::Url& url, const net::ClientRequest& request);

}  // namespace inferd::ctl

#pragma once

#include <string>

#include "net/client/http_client.h"
#include "net/client/load_protocol.h"
#include "net/client/url.h"

namespace inferd::net {

// The bytes of `request` to `url`, kept alive.
std::string SerializeRequest(const Url& url, const ClientRequest& request);

// `request` over and over, over HTTP/1.1: one call at a time on a connection. 2xx is success.
LoadProtocolFactory HttpLoad(const Url& url, const ClientRequest& request);

}  // namespace inferd::net

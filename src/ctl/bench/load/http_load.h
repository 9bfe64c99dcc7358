#pragma once

#include <string>

#include "ctl/bench/load/load_protocol.h"
#include "net/client/http_client.h"
#include "net/client/url.h"

namespace inferd::ctl {

// The bytes of `request` to `url`, kept alive.
std::string SerializeRequest(const net::Url& url, const net::ClientRequest& request);

// `request` over and over, over HTTP/1.1: one call at a time on a connection. 2xx is success.
LoadProtocolFactory HttpLoad(const net::Url& url, const net::ClientRequest& request);

}  // namespace inferd::ctl

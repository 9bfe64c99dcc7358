#pragma once

#include <string>

#include "base/status.h"
#include "net/client/url.h"

namespace inferd::net {

// A connected, non-blocking TCP (TCP_NODELAY) or, if `unix_socket` is not empty, unix socket, which the caller closes.
// Blocks while it connects. UNAVAILABLE says why it could not.
base::Result<int> Dial(const Url& url, const std::string& unix_socket);

}  // namespace inferd::net

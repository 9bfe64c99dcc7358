#pragma once

#include <string>

#include "base/status.h"
#include "net/client/url.h"

namespace inferd::net {

// Connects a non-blocking socket: TCP (with TCP_NODELAY), or a Unix socket if `unix_socket` is not empty. The caller
// must close it. Blocks while it connects. UNAVAILABLE, with the reason, if it cannot connect.
base::Result<int> Dial(const Url& url, const std::string& unix_socket);

}  // namespace inferd::net

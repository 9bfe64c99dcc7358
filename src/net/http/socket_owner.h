#pragma once

#include <sys/types.h>

#include <string_view>

#include "base/status.h"
#include "net/http/http.h"

namespace inferd::net {

// Returns the user of the socket at the other end of a TCP connection within this machine (sock_diag(7), a kernel query
// of a few microseconds). `peer` and `local` are the connection's ends as this side sees them: "127.0.0.1:4242",
// "[::1]:4242". The user is the one who created the socket, even if it was handed to another user's process.
// INVALID_ARGUMENT if the ends are not addresses. NOT_FOUND if the other end belongs to another machine or network
// namespace, or was closed. UNAVAILABLE if the kernel does not answer such queries. Thread-safe.
base::Result<uid_t> OwnerOfOtherEnd(std::string_view peer, std::string_view local);

// Returns true if a process of this process's user, or of root, sent the request over the loopback. Errors are
// OwnerOfOtherEnd()'s.
base::Result<bool> IsOwnUsers(const RequestHead& head);

}  // namespace inferd::net

#pragma once

#include <sys/types.h>

#include <string_view>

#include "base/status.h"
#include "net/http/http.h"

namespace inferd::net {

// The user of the socket at the other end of a TCP connection within this machine (sock_diag(7), a question to the
// kernel of a few microseconds). `peer` and `local` are the connection's ends as this side sees them: "127.0.0.1:4242",
// "[::1]:4242". That is the user who made the socket, also after it was handed to a process of another user.
// INVALID_ARGUMENT: no addresses. NOT_FOUND: the other end is of another machine or network namespace, or has been
// closed. UNAVAILABLE: the kernel does not answer such questions. Thread-safe.
base::Result<uid_t> OwnerOfOtherEnd(std::string_view peer, std::string_view local);

// True if a process of this process's user, or of root, has sent the request over the loopback. Errors are
// OwnerOfOtherEnd's.
base::Result<bool> IsOwnUsers(const RequestHead& head);

}  // namespace inferd::net

#pragma once

#include <optional>

#include "kserve/apiserver/objects/api_error.h"
#include "net/http/http.h"

namespace inferd::apiserver {

// Forbidden, unless a process of this one's user or of root asks, over the loopback, or somebody over a Unix socket:
// the API runs what it is told, as this user. The kernel says whose process is at the other end; where it does not,
// nobody is let in. Thread-safe.
std::optional<ApiError> RefusalOfCaller(const net::RequestHead& head);

}  // namespace inferd::apiserver

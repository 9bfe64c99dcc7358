#pragma once

#include <optional>

#include "kserve/apiserver/objects/api_error.h"
#include "net/http/http.h"
#include "net/secret.h"

namespace inferd::apiserver {

// Decides whether the API answers a request. Returns the refusal, or nullopt. The API runs programs on request, as this
// process's user.
//
// - Over a Unix socket: yes. The listener admits only this user and root (ListenerOptions::own_users_only).
// - Over TCP: Unauthorized without the bearer token, which is compared in constant time. Forbidden if the connection
//   comes from another machine, or if the kernel says that it belongs to another user than this process's and root.
//
// If the kernel names no user of the connection, the token decides. Thread-safe.
std::optional<ApiError> RefusalOfCaller(const net::RequestHead& head, const net::SecretDigest& token);

}  // namespace inferd::apiserver

#pragma once

#include <memory>
#include <string_view>

#include "base/status.h"
#include "net/http/session.h"

namespace inferd::net::http2 {

// HTTP/2 (RFC 9113) for a connection that begins with its preface: prior knowledge, or "h2" chosen by ALPN. `host`
// outlives the session.
std::unique_ptr<Session> MakeSession(SessionHost& host);

// HTTP/2 behind "Upgrade: h2c" (RFC 7540, 3.2), after the caller has written its "101 Switching Protocols". `settings`
// is the value of the one HTTP2-Settings header; `request`, which has no body, becomes stream 1 and is answered there.
// INVALID_ARGUMENT: `settings` is no base64url, or no SETTINGS payload; then `request` is untouched, and the caller
// goes on with HTTP/1.1, as the RFC has it.
base::Result<std::unique_ptr<Session>> MakeUpgradedSession(SessionHost& host, std::string_view settings,
                                                           HttpRequest& request);

}  // namespace inferd::net::http2

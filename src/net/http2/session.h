#pragma once

#include <memory>
#include <string_view>

#include "base/status.h"
#include "net/http/session.h"

namespace inferd::net::http2 {

// Returns an HTTP/2 session (RFC 9113) for a connection that begins with its preface: prior knowledge, or "h2" chosen
// by ALPN. `host` must outlive the session.
std::unique_ptr<Session> MakeSession(SessionHost& host);

// Returns an HTTP/2 session after "Upgrade: h2c" (RFC 7540, 3.2). The caller has written "101 Switching Protocols"
// before. `settings` is the value of the only HTTP2-Settings header. `request`, which has no body, becomes stream 1 and
// is answered there. INVALID_ARGUMENT if `settings` is not base64url, or not a SETTINGS payload. `request` is then
// unchanged, and the caller continues with HTTP/1.1, as the RFC requires.
base::Result<std::unique_ptr<Session>> MakeUpgradedSession(SessionHost& host, std::string_view settings,
                                                           HttpRequest& request);

}  // namespace inferd::net::http2

#pragma once

#include <nghttp2/nghttp2.h>

#include <cstdint>

#include "net/http/session.h"
#include "net/http2/stream/abuse_guard.h"

namespace inferd::net::http2 {

// What all parts of a connection share: the host, nghttp2's session, the time as of the latest event, and what is known
// of the peer. Loop-bound; owned by the connection, and outlives its streams.
struct Link {
  // Submits our SETTINGS. `callbacks` are called with `user`. `session_host` outlives this object.
  Link(SessionHost& session_host, const nghttp2_session_callbacks& callbacks, void* user);
  ~Link() { nghttp2_session_del(session); }
  Link(const Link&) = delete;
  Link& operator=(const Link&) = delete;

  SessionHost& host;
  nghttp2_session* session = nullptr;
  int64_t now_ns;
  int64_t active_ns;  // when something was read, or a stream ended, last
  AbuseGuard abuse;
  bool grpc = false;    // a gRPC request has come
  bool failed = false;  // nghttp2 has given up, or the socket is gone: nothing more is sent through the session
};

}  // namespace inferd::net::http2

#pragma once

#include <nghttp2/nghttp2.h>

#include <cstdint>

#include "net/http/session.h"
#include "net/http2/stream/abuse_guard.h"

namespace inferd::net::http2 {

// State that all parts of a connection share: the host, nghttp2's session, the time of the latest event, and facts
// about the peer. Loop-bound. Owned by the connection; outlives its streams.
struct Link {
  // Submits our SETTINGS. `callbacks` are called with `user`. `session_host` must outlive this object.
  Link(SessionHost& session_host, const nghttp2_session_callbacks& callbacks, void* user);
  ~Link() { nghttp2_session_del(session); }
  Link(const Link&) = delete;
  Link& operator=(const Link&) = delete;

  SessionHost& host;
  nghttp2_session* session = nullptr;
  int64_t now_ns;
  int64_t active_ns;  // time of the last read, or of a stream's end
  AbuseGuard abuse;
  bool grpc = false;    // a gRPC request has arrived
  bool failed = false;  // nghttp2 has failed, or the socket is gone: nothing more is sent through the session
};

}  // namespace inferd::net::http2

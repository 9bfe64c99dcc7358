#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/logging.h"
#include "base/metrics/registry.h"
#include "base/status.h"
#include "net/authority/pem_pair.h"
#include "net/http/http.h"
#include "net/http/limits.h"
#include "net/http/over_limit_handler.h"
#include "net/loop_group.h"

namespace inferd::net {

// PEM files, or for the server's own certificate a function. TLS 1.2 at least; ALPN offers h2 and http/1.1.
struct TlsOptions {
  std::string certificate_file;  // the server's, followed by its chain
  std::string key_file;
  std::string client_ca_file;               // empty: clients are not asked for a certificate
  bool require_client_certificate = false;  // with client_ca_file: a client without one is refused
  // In place of the server's files: asked when they would be read, by the thread that calls. Null: the files.
  std::function<PemPair()> own_certificate = nullptr;
  bool or_plain = false;  // a connection that does not begin with a TLS record is served without TLS
};

struct ListenerOptions {
  std::string name;                 // "http", "metrics": for logs, and to ask port() for
  std::string address = "0.0.0.0";  // an IPv4 or IPv6 address, or "localhost"
  uint16_t port = 0;                // 0: any free one
  std::string unix_path;            // not empty: a Unix socket instead; a stale socket file is replaced
  uint32_t unix_client_pid = 0;     // of the only process that may connect to that; 0: any
  // With `unix_path`: the socket has mode 0600. Connections of users other than this process's and root are closed.
  bool own_users_only = false;
  std::optional<TlsOptions> tls;
  HandlerFactory handlers;  // called once per loop, the spare one included, on that loop
  // For what is to be reached whatever holds the loops, or has taken all connections: its connections have the spare
  // loop and Limits::connections_reserved of their own.
  bool apart = false;
  // Where not `apart`: what is answered beyond Limits::connections_max, too, for one request of each of so many
  // connections; empty: nothing.
  VitalRequest vital = nullptr;
};

// Listeners and their connections: HTTP/1.1 and HTTP/2 (prior knowledge, h2c upgrade, ALPN) on every one of them.
//
//   (made) --Listen()...--> serving --AnnounceDrain()--> announced --BeginDrain()--> draining --Stop()--> stopped
//
// Serving may be followed by any of the states behind it. A thread of its own accepts and hands each connection to the
// loop that ChooseLoop names; where all are held, to the spare one. Owned by whoever composes
// the server, who calls its methods from one thread that is no loop; the counting getters are thread-safe. `loops` must
// be running until Stop has returned; `registry` (nullptr: none) gets metrics that are read until the server is
// destroyed.
class Server final {
 public:
  Server(LoopGroup& loops, const Limits& limits, metrics::Registry* registry, base::Logger& logger);
  ~Server();  // Stop()
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  // Binds and listens; connections wait until Accept(). ALREADY_EXISTS: the port is in use. INVALID_ARGUMENT: address
  // or TLS files.
  base::Status Bind(ListenerOptions options);
  // Serves whatever has been bound, from then on: where there are several listeners, who is answered by one finds the
  // others.
  void Accept();
  // Both.
  base::Status Listen(ListenerOptions options);
  // Where that listener really listens; 0 if there is none of that name, or it is a Unix socket.
  uint16_t port(std::string_view listener) const;

  // Reads every TLS listener's files again; new connections use them, open ones go on. If one cannot be read, the old
  // ones stay in use, of that listener, and the error is returned.
  base::Status ReloadTls();

  // The draining is in three steps, so that no request is lost that a client has sent before it could know. None waits
  // for a loop.
  //
  // Connections are still accepted; each is told with its next response that it ends there ("Connection: close",
  // GOAWAY).
  void AnnounceDrain();
  // No connection begins any more; those that have begun, with a client's request on its way perhaps, are still
  // accepted.
  void RefuseConnections();
  // Closes the listeners, behind what was still to be accepted. Connections that can be told are told (GOAWAY); idle
  // ones close when they have been silent for Limits::drain_idle, others behind their next response.
  void BeginDrain();
  // Waits until no connection is left, at most `timeout`; whether so.
  bool WaitUntilIdle(std::chrono::milliseconds timeout);
  // All of these, with `grace` behind the first, and Stop(). What is left behind `timeout` is logged, and not answered.
  void Drain(std::chrono::milliseconds grace, std::chrono::milliseconds timeout);
  // Closes everything at once. Handlers are destroyed, each on its loop. Idempotent.
  void Stop();
  // The same, but waits no longer than that for loops that are held. Their names; if there are any, neither this nor
  // the loops can be destroyed any more.
  std::vector<std::string> StopWithin(std::chrono::milliseconds timeout);

  size_t connections() const;
  size_t requests_in_flight() const;
  uint64_t body_bytes_in_flight() const;

 private:
  struct Core;
  std::unique_ptr<Core> core_;
};

}  // namespace inferd::net

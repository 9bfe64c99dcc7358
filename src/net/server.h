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

// A listener's TLS files in PEM, or a function for the server's own certificate. TLS 1.2 at least; ALPN offers h2 and
// http/1.1.
struct TlsOptions {
  std::string certificate_file;  // the server's, followed by its chain
  std::string key_file;
  std::string client_ca_file;               // if empty, clients are not asked for a certificate
  bool require_client_certificate = false;  // with client_ca_file: a client without a certificate is refused
  // Replaces the server's files: called whenever they would be read, on the calling thread. Null to use the files.
  std::function<PemPair()> own_certificate = nullptr;
  bool or_plain = false;  // a connection that does not begin with a TLS record is served without TLS
};

struct ListenerOptions {
  std::string name;                 // "http", "metrics": for logs, and to ask port() for
  std::string address = "0.0.0.0";  // an IPv4 or IPv6 address, or "localhost"
  uint16_t port = 0;                // 0 for any free port
  std::string unix_path;            // if not empty, a Unix socket is used; a stale socket file is replaced
  uint32_t unix_client_pid = 0;     // the only process that may connect to the Unix socket; 0 for any
  // With `unix_path`: the socket has mode 0600, and connections of users other than this process's and root are closed.
  bool own_users_only = false;
  std::optional<TlsOptions> tls;
  HandlerFactory handlers;  // called once per loop, the spare one included, on that loop
  // For a listener that must be reachable even if the loops are blocked or connections are exhausted: its connections
  // have the spare loop and a reserve of Limits::connections_reserved.
  bool apart = false;
  // If not `apart`: requests that are answered even beyond Limits::connections_max, one per connection, on up to
  // Limits::connections_reserved further connections. Empty for none.
  VitalRequest vital = nullptr;
};

// Listeners and their connections. All of them support HTTP/1.1 and HTTP/2 (prior knowledge, h2c upgrade, ALPN).
//
//   (made) --Listen()...--> serving --AnnounceDrain()--> announced --BeginDrain()--> draining --Stop()--> stopped
//
// Any later state may follow serving. A separate thread accepts connections and hands each to the loop that
// ChooseLoop() selects, or to the spare loop if all are blocked. The composer of the server owns it and calls its
// methods from one thread that is not a loop; the counting getters are thread-safe. `loops` must run until Stop() has
// returned. `registry` gets metrics that are read until the server is destroyed; nullptr for none.
class Server final {
 public:
  Server(LoopGroup& loops, const Limits& limits, metrics::Registry* registry, base::Logger& logger);
  ~Server();  // Stop()
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  // Binds and listens; connections wait until Accept(). ALREADY_EXISTS if the port is in use. INVALID_ARGUMENT if the
  // address or the TLS files are invalid.
  base::Status Bind(ListenerOptions options);
  // Serves all bound listeners from then on. Binding all first ensures that a client which is answered by one listener
  // finds the others.
  void Accept();
  // Binds and accepts.
  base::Status Listen(ListenerOptions options);
  // Returns the real port of that listener, or 0 if there is no listener of that name, or it is a Unix socket.
  uint16_t port(std::string_view listener) const;

  // Reads every TLS listener's files again. New connections use them; open ones continue. If a listener's files cannot
  // be read, it keeps the old ones, and the error is returned.
  base::Status ReloadTls();

  // Draining has three steps, so that requests which clients sent before they could know are not lost. None of the
  // steps waits for a loop.
  // | Connections are still accepted. Each is told with its next response that it ends there ("Connection: close",
  // GOAWAY).
  void AnnounceDrain();
  // Stops new connections from beginning. Those that have begun, and whose client may have sent a request, are still
  // accepted.
  void RefuseConnections();
  // Closes the listeners after their pending connections. Connections that can be told are told (GOAWAY). Idle ones
  // close when they have been silent for Limits::drain_idle, others after their next response.
  void BeginDrain();
  // Waits, at most `timeout`, until no connection is left. Returns true if none is left.
  bool WaitUntilIdle(std::chrono::milliseconds timeout);
  // Does all of these, with `grace` after the first, and then Stop(). Requests left after `timeout` are logged and not
  // answered.
  void Drain(std::chrono::milliseconds grace, std::chrono::milliseconds timeout);
  // Closes everything at once. Handlers are destroyed, each on its loop. Idempotent.
  void Stop();
  // Does the same, but waits at most `timeout` for blocked loops and returns their names. If there are any, neither
  // this server nor the loops can be destroyed any more.
  std::vector<std::string> StopWithin(std::chrono::milliseconds timeout);

  size_t connections() const;
  size_t requests_in_flight() const;
  uint64_t body_bytes_in_flight() const;

 private:
  struct Core;
  std::unique_ptr<Core> core_;
};

}  // namespace inferd::net

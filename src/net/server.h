#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/logging.h"
#include "base/status.h"
#include "metrics/registry.h"
#include "net/http.h"
#include "net/limits.h"
#include "net/loop_group.h"

namespace inferd::net {

// PEM files. TLS 1.2 at least; ALPN offers h2 and http/1.1.
struct TlsOptions {
  std::string certificate_file;  // the server's, followed by its chain
  std::string key_file;
  std::string client_ca_file;               // empty: clients are not asked for a certificate
  bool require_client_certificate = false;  // with client_ca_file: a client without one is refused
};

struct ListenerOptions {
  std::string name;                 // "http", "metrics": for logs, and to ask port() for
  std::string address = "0.0.0.0";  // an IPv4 or IPv6 address, or "localhost"
  uint16_t port = 0;                // 0: any free one
  std::string unix_path;            // not empty: a Unix socket instead; a stale socket file is replaced
  std::optional<TlsOptions> tls;
  HandlerFactory handlers;  // called once per loop, on that loop
};

// Listeners and their connections: HTTP/1.1 and HTTP/2 (prior knowledge, h2c upgrade, ALPN) on every one of them.
//
//   (made) --Listen()...--> serving --BeginDrain()--> draining --Stop()--> stopped
//
// A thread of its own accepts and hands each connection to the loop that ChooseLoop names. Owned by whoever composes
// the server, who calls its methods from one thread that is no loop; the counting getters are thread-safe. `loops` must
// be running until Stop has returned; `registry` (nullptr: none) gets metrics that are read until the server is
// destroyed.
class Server final {
 public:
  Server(LoopGroup& loops, const Limits& limits, metrics::Registry* registry, base::Logger& logger);
  ~Server();  // Stop()
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  // Binds and listens; who connects waits until Accept(). ALREADY_EXISTS: the port is in use. INVALID_ARGUMENT: address
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

  // Closes the listeners and tells every connection to close ("Connection: close", GOAWAY); idle ones close at once.
  void BeginDrain();
  // Waits until no connection is left, at most `timeout`; whether so.
  bool WaitUntilIdle(std::chrono::milliseconds timeout);
  // Closes everything at once. Handlers are destroyed, each on its loop. Idempotent.
  void Stop();

  size_t connections() const;
  size_t requests_in_flight() const;
  uint64_t body_bytes_in_flight() const;

 private:
  struct Core;
  std::unique_ptr<Core> core_;
};

}  // namespace inferd::net

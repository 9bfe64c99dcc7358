#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/logging.h"
#include "base/mutex.h"
#include "net/event_loop.h"
#include "net/http/limits.h"
#include "net/server.h"
#include "net/shard.h"
#include "net/tls.h"

namespace inferd::net {

// A listening socket, and its real port.
struct ListeningSocket {
  base::FileDescriptor fd;
  uint16_t port = 0;  // 0 for a Unix socket
};

// ALREADY_EXISTS if the address is in use. INVALID_ARGUMENT if there is no such address. PERMISSION_DENIED if not
// allowed. UNAVAILABLE for other errors of the system.
base::Result<ListeningSocket> OpenListeningSocket(const ListenerOptions& options);

// Accepts connections on its loop and hands each to the shard that ChooseLoop() selects. Loop-bound except ReloadTls().
class Listener final : public EventLoop::Watcher {
 public:
  // `number` is the listener's index in the shards' lists of handlers. `tls` is nullptr for plain connections.
  Listener(EventLoop& loop, std::vector<Shard*> shards, size_t number, const ListenerOptions& options,
           ConnectionCount& count, const Limits& limits, ListeningSocket socket, std::shared_ptr<TlsContext> tls,
           base::Logger& logger);
  ~Listener();

  const std::string& name() const { return name_; }
  uint16_t port() const { return socket_port_; }

  void Start();
  // Stops new connections from beginning. Those that clients have begun are accepted until Stop().
  void RefuseConnections();
  // Accepts pending connections, if it was started, and closes the socket.
  void Stop();
  // Reads the TLS files again. Thread-safe.
  base::Status ReloadTls();

 private:
  void OnReady(uint32_t epoll_events) override;
  bool AcceptOne();
  // True if the process at the other end is allowed to connect. Asks the kernel.
  bool MayConnect(int fd) const;
  void HandOver(base::FileDescriptor fd, ConnectionEnds ends);
  Shard& ChooseShard() const;
  std::optional<ConnectionKind> FindRoom();
  void RemoveUnixPath();
  void Pause();

  EventLoop& loop_;
  const std::vector<Shard*> shards_;  // by Loop::index(): the spare loop's is the last
  const size_t number_;
  const std::string name_;
  std::string unix_path_;  // empty if there is none, or if its file is removed
  const bool is_unix_;
  const bool own_users_only_;
  const uint32_t unix_client_pid_;
  const bool apart_;
  const bool has_vital_;
  const std::optional<TlsOptions> tls_options_;
  ConnectionCount& count_;
  const Limits& limits_;
  const uint16_t socket_port_;
  base::Logger& logger_;
  base::FileDescriptor fd_;
  Loop::TimerId resume_ = 0;
  bool started_ = false;
  base::Mutex mutex_;
  std::shared_ptr<TlsContext> tls_ GUARDED_BY(mutex_);
};

}  // namespace inferd::net

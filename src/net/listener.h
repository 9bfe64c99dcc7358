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

// A listening socket, with where it really listens.
struct ListeningSocket {
  base::FileDescriptor fd;
  uint16_t port = 0;  // 0: a Unix socket
};

// ALREADY_EXISTS: in use. INVALID_ARGUMENT: no such address. PERMISSION_DENIED; UNAVAILABLE: what else the system says.
base::Result<ListeningSocket> OpenListeningSocket(const ListenerOptions& options);

// Accepts on its loop and hands each connection to the shard that ChooseLoop names. Loop-bound but for ReloadTls.
class Listener final : public EventLoop::Watcher {
 public:
  // `number`: the listener's place in the shards' lists of handlers. `tls` nullptr: plain.
  Listener(EventLoop& loop, std::vector<Shard*> shards, size_t number, const ListenerOptions& options,
           ConnectionCount& count, const Limits& limits, ListeningSocket socket, std::shared_ptr<TlsContext> tls,
           base::Logger& logger);
  ~Listener();

  const std::string& name() const { return name_; }
  uint16_t port() const { return socket_port_; }

  void Start();
  // No connection begins any more; those that clients have begun are accepted until Stop().
  void RefuseConnections();
  // Accepts what is still to be accepted, if it was started, and closes the socket.
  void Stop();
  // Reads the files again. Thread-safe.
  base::Status ReloadTls();

 private:
  void OnReady(uint32_t epoll_events) override;
  bool AcceptOne();
  // True if the process at the other end may be a client. Asks the kernel.
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
  std::string unix_path_;  // empty: none, or its file is removed
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

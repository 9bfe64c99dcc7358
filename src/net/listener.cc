#include "net/listener.h"

#include <arpa/inet.h>
#include <linux/filter.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

#include "net/http/host.h"
#include "net/loop_choice.h"

namespace inferd::net {

namespace {

constexpr int kBacklog = 1024;
// Connecting to a Unix socket with a full queue fails at once, while TCP retries.
constexpr int kUnixBacklog = 4096;
constexpr int kAcceptsPerTurn = 64;
constexpr std::chrono::milliseconds kPause{100};
constexpr std::string_view kTooMany =
    "HTTP/1.1 503 Service Unavailable\r\nContent-Type: application/json\r\nRetry-After: 1\r\nContent-Length: 32\r\n"
    "Connection: close\r\n\r\n{\"error\":\"too many connections\"}";

base::Status SystemError(int error, const std::string& what) {
  const std::string message = what + ": " + std::strerror(error);
  switch (error) {
    case EADDRINUSE: return base::AlreadyExists(message);
    case EACCES:
    case EPERM: return base::PermissionDenied(message);
    case EADDRNOTAVAIL:
    case EAFNOSUPPORT:
    case ENOENT: return base::InvalidArgument(message);
    default: return base::Unavailable(message);
  }
}

// `mode` is that of a Unix socket's file, before the umask; nullopt for the system's default.
base::Result<ListeningSocket> BindAndListen(int family, const sockaddr* address, socklen_t size,
                                            const std::string& where, std::optional<mode_t> mode = std::nullopt) {
  base::FileDescriptor fd(socket(family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (!fd) return std::unexpected(SystemError(errno, "cannot listen on " + where));
  const int on = 1;
  setsockopt(fd.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
  if (family == AF_INET6) setsockopt(fd.get(), IPPROTO_IPV6, IPV6_V6ONLY, &on, sizeof(on));
  // Linux gives the file that bind() creates the mode of the socket, so that other users can never connect.
  if (mode.has_value() && fchmod(fd.get(), *mode) != 0) {
    return std::unexpected(SystemError(errno, "cannot keep other users from " + where));
  }
  if (bind(fd.get(), address, size) != 0 || listen(fd.get(), family == AF_UNIX ? kUnixBacklog : kBacklog) != 0) {
    return std::unexpected(SystemError(errno, "cannot listen on " + where));
  }
  return ListeningSocket{std::move(fd), 0};
}

// For a Unix socket's connection: returns false if the other end is a process of another user.
bool IsOfOwnUsers(int fd) {
  ucred peer{};
  socklen_t size = sizeof(peer);
  if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0) return false;
  return peer.uid == 0 || peer.uid == geteuid();
}

base::Result<ListeningSocket> OpenUnixSocket(const std::string& path, bool own_users_only) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof(address.sun_path)) {
    return std::unexpected(
        base::InvalidArgument("cannot listen on " + path + ": the path is too long for a Unix socket"));
  }
  std::memcpy(address.sun_path, path.data(), path.size());
  const auto* generic = reinterpret_cast<const sockaddr*>(&address);
  struct stat status{};
  if (stat(path.c_str(), &status) == 0 && S_ISSOCK(status.st_mode)) {
    // A socket on which nobody answers was left by a process that ended.
    const base::FileDescriptor probe(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    if (probe && connect(probe.get(), generic, sizeof(address)) != 0 && errno == ECONNREFUSED) unlink(path.c_str());
  }
  const std::optional<mode_t> mode = own_users_only ? std::optional<mode_t>(S_IRUSR | S_IWUSR) : std::nullopt;
  return BindAndListen(AF_UNIX, generic, sizeof(address), path, mode);
}

std::string AddressText(const sockaddr_storage& address) {
  std::array<char, INET6_ADDRSTRLEN> text{};
  if (address.ss_family == AF_INET) {
    const auto& v4 = reinterpret_cast<const sockaddr_in&>(address);
    inet_ntop(AF_INET, &v4.sin_addr, text.data(), text.size());
    return std::string(text.data()) + ":" + std::to_string(ntohs(v4.sin_port));
  }
  if (address.ss_family == AF_INET6) {
    const auto& v6 = reinterpret_cast<const sockaddr_in6&>(address);
    inet_ntop(AF_INET6, &v6.sin6_addr, text.data(), text.size());
    return "[" + std::string(text.data()) + "]:" + std::to_string(ntohs(v6.sin6_port));
  }
  return "unix";
}

std::string LocalText(int fd) {
  sockaddr_storage address{};
  socklen_t size = sizeof(address);
  return getsockname(fd, reinterpret_cast<sockaddr*>(&address), &size) == 0 ? AddressText(address) : "";
}

}  // namespace

base::Result<ListeningSocket> OpenListeningSocket(const ListenerOptions& options) {
  if (!options.unix_path.empty()) return OpenUnixSocket(options.unix_path, options.own_users_only);
  const std::string where = options.address + ":" + std::to_string(options.port);
  addrinfo hints{};
  hints.ai_family = AF_UNSPEC;
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_PASSIVE | AI_NUMERICSERV;
  addrinfo* found = nullptr;
  const int error = getaddrinfo(options.address.c_str(), std::to_string(options.port).c_str(), &hints, &found);
  if (error != 0)
    return std::unexpected(base::InvalidArgument("cannot listen on " + where + ": " + gai_strerror(error)));
  const std::unique_ptr<addrinfo, decltype(&freeaddrinfo)> owner(found, &freeaddrinfo);
  INFERD_ASSIGN_OR_RETURN(ListeningSocket socket,
                          BindAndListen(found->ai_family, found->ai_addr, found->ai_addrlen, where));
  sockaddr_storage bound{};
  socklen_t size = sizeof(bound);
  getsockname(socket.fd.get(), reinterpret_cast<sockaddr*>(&bound), &size);
  socket.port = ntohs(bound.ss_family == AF_INET6 ? reinterpret_cast<const sockaddr_in6&>(bound).sin6_port
                                                  : reinterpret_cast<const sockaddr_in&>(bound).sin_port);
  return socket;
}

Listener::Listener(EventLoop& loop, std::vector<Shard*> shards, size_t number, const ListenerOptions& options,
                   ConnectionCount& count, const Limits& limits, ListeningSocket socket,
                   std::shared_ptr<TlsContext> tls, base::Logger& logger)
    : loop_(loop),
      shards_(std::move(shards)),
      number_(number),
      name_(options.name),
      unix_path_(options.unix_path),
      is_unix_(!options.unix_path.empty()),
      own_users_only_(options.own_users_only),
      unix_client_pid_(options.unix_client_pid),
      apart_(options.apart),
      has_vital_(options.vital != nullptr),
      tls_options_(options.tls),
      count_(count),
      limits_(limits),
      socket_port_(socket.port),
      logger_(logger),
      fd_(std::move(socket.fd)),
      tls_(std::move(tls)) {}

Listener::~Listener() = default;

void Listener::Start() {
  started_ = true;
  loop_.Watch(fd_.get(), EPOLLIN, *this);
}

// Installs a filter that lets packets of begun handshakes through, since a client whose handshake is complete may have
// sent its request. A client's system retries a connection a second later, and then finds nobody, or another server. If
// the system has no such filters, new connections still begin.
void Listener::RefuseConnections() {
  if (!fd_) return;
  if (is_unix_) return RemoveUnixPath();
  constexpr uint32_t kFlagsOffset = 13;  // RFC 9293, 3.1
  constexpr uint32_t kSyn = 0x02;
  constexpr uint32_t kAck = 0x10;
  std::array<sock_filter, 5> drops_first_segments = {{
      BPF_STMT(BPF_LD | BPF_B | BPF_ABS, kFlagsOffset),
      BPF_STMT(BPF_ALU | BPF_AND | BPF_K, kSyn | kAck),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, kSyn, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, 0),
      BPF_STMT(BPF_RET | BPF_K, UINT32_MAX),
  }};
  const sock_fprog program{.len = drops_first_segments.size(), .filter = drops_first_segments.data()};
  setsockopt(fd_.get(), SOL_SOCKET, SO_ATTACH_FILTER, &program, sizeof(program));
}

// Closing the socket would reset connections that are not accepted yet.
void Listener::Stop() {
  if (!fd_) return;
  for (int left = !started_ ? 0 : is_unix_ ? kUnixBacklog : kBacklog; left > 0 && AcceptOne(); --left) {
  }
  loop_.CancelTimer(std::exchange(resume_, 0));
  loop_.Unwatch(fd_.get(), *this);
  fd_.Close();
  RemoveUnixPath();
}

// Only once: later the file may be another server's.
void Listener::RemoveUnixPath() {
  if (!unix_path_.empty()) unlink(unix_path_.c_str());
  unix_path_.clear();
}

base::Status Listener::ReloadTls() {
  if (!tls_options_.has_value()) return base::OkStatus();
  INFERD_ASSIGN_OR_RETURN(std::shared_ptr<TlsContext> tls, TlsContext::Load(*tls_options_));
  const base::MutexLock lock(mutex_);
  tls_ = std::move(tls);
  return base::OkStatus();
}

void Listener::OnReady(uint32_t) {
  for (int i = 0; i < kAcceptsPerTurn && AcceptOne(); ++i) {
  }
}

// Returns false if there is nothing to accept, or the client has gone again.
bool Listener::AcceptOne() {
  sockaddr_storage address{};
  socklen_t size = sizeof(address);
  base::FileDescriptor fd(
      accept4(fd_.get(), reinterpret_cast<sockaddr*>(&address), &size, SOCK_NONBLOCK | SOCK_CLOEXEC));
  if (!fd) {
    if (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM) Pause();
    return false;
  }
  if (own_users_only_ && !IsOfOwnUsers(fd.get())) return true;
  if (!MayConnect(fd.get())) return true;
  const int on = 1;
  if (!is_unix_) setsockopt(fd.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
  ConnectionEnds ends{.peer = AddressText(address), .local = ""};
  if (IsLoopback(ends.peer)) ends.local = LocalText(fd.get());
  HandOver(std::move(fd), std::move(ends));
  return true;
}

bool Listener::MayConnect(int fd) const {
  if (!is_unix_ || unix_client_pid_ == 0) return true;
  ucred client{};
  socklen_t size = sizeof(client);
  return getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &client, &size) == 0 &&
         static_cast<uint32_t>(client.pid) == unix_client_pid_;
}

// Out of descriptors or memory: trying again at once would only burn CPU time.
void Listener::Pause() {
  logger_.Warning("cannot accept connections", {{"listener", name_}, {"reason", std::strerror(errno)}});
  loop_.Unwatch(fd_.get(), *this);
  loop_.CancelTimer(resume_);
  resume_ = loop_.RunAfter(kPause, [this] {
    resume_ = 0;
    Start();
  });
}

// Shards are ordered by loop; if all loops are blocked, it is the spare one's.
Shard& Listener::ChooseShard() const {
  std::vector<LoopLoad> loops;
  loops.reserve(shards_.size() - 1);
  for (Shard* shard : std::span(shards_).first(shards_.size() - 1)) {
    loops.push_back({.connections = shard->load(), .turn_ns = shard->loop().TurnNs()});
  }
  return *shards_[ChooseLoop(loops, limits_.connections_per_loop,
                             std::chrono::nanoseconds(limits_.loop_held_after).count())];
}

// Returns nullopt if there is no room for a connection.
std::optional<ConnectionKind> Listener::FindRoom() {
  const ConnectionKind kind = apart_ ? ConnectionKind::kApart : ConnectionKind::kServing;
  if (count_.TryAdd(kind, apart_ ? limits_.connections_reserved : limits_.connections_max)) return kind;
  if (has_vital_ && count_.TryAdd(ConnectionKind::kOverLimit, limits_.connections_reserved)) {
    return ConnectionKind::kOverLimit;
  }
  return std::nullopt;
}

void Listener::HandOver(base::FileDescriptor fd, ConnectionEnds ends) {
  std::shared_ptr<TlsContext> tls;
  {
    const base::MutexLock lock(mutex_);
    tls = tls_;
  }
  const std::optional<ConnectionKind> kind = FindRoom();
  if (!kind.has_value()) {
    if (tls == nullptr) send(fd.get(), kTooMany.data(), kTooMany.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    shutdown(fd.get(), SHUT_WR);
    return;
  }
  Shard& chosen = *kind == ConnectionKind::kServing ? ChooseShard() : *shards_.back();
  chosen.Reserve();
  Shard::Arrival arrival{
      .fd = std::move(fd), .ends = std::move(ends), .listener = number_, .kind = *kind, .tls = std::move(tls)};
  arrival.or_plain = tls_options_.has_value() && tls_options_->or_plain;
  chosen.loop().Post([&chosen, arrival = std::move(arrival)]() mutable { chosen.Adopt(std::move(arrival)); });
}

}  // namespace inferd::net

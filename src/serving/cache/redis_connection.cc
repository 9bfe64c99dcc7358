#include "serving/cache/redis_connection.h"

#include <poll.h>
#include <sys/socket.h>

#include <array>
#include <cstdarg>
#include <cstring>
#include <string_view>
#include <utility>

namespace inferd::cache {

namespace {

constexpr size_t kReadBytes = size_t{16} << 10;
constexpr int kReadsMax = 64;  // per Advance()

struct FreeReply {
  void operator()(void* reply) const { freeReplyObject(reply); }
};

}  // namespace

base::Result<std::unique_ptr<RedisConnection>> RedisConnection::Open(const Target& target, size_t value_bytes_max) {
  std::unique_ptr<redisContext, FreeContext> context(redisConnectNonBlock(target.host.c_str(), target.port));
  if (context == nullptr) return std::unexpected(base::Unavailable("no connection"));
  if (context->err != 0) return std::unexpected(base::Unavailable(context->errstr));
  const int fd = context->fd;
  std::unique_ptr<net::Transport> transport;
  if (target.tls == nullptr) {
    transport = std::make_unique<net::PlainTransport>(fd);
  } else {
    INFERD_ASSIGN_OR_RETURN(transport, net::MakeTlsClientTransport(
                                           fd, target.tls, target.tls_name.empty() ? target.host : target.tls_name));
  }
  return std::unique_ptr<RedisConnection>(
      new RedisConnection(std::move(context), std::move(transport), value_bytes_max));
}

RedisConnection::RedisConnection(std::unique_ptr<redisContext, FreeContext> context,
                                 std::unique_ptr<net::Transport> transport, size_t value_bytes_max)
    : context_(std::move(context)), transport_(std::move(transport)), bounds_(value_bytes_max) {}

int16_t RedisConnection::events() const {
  const bool writes = !secured_ || !commands_.empty();
  const int16_t write = writes && waiting_ == State::kWantWrite ? POLLOUT : 0;
  return static_cast<int16_t>(connected_ ? POLLIN | write : POLLOUT);
}

bool RedisConnection::Send(const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  char* bytes = nullptr;
  const int size = redisvFormatCommand(&bytes, format, arguments);
  va_end(arguments);
  if (size < 0) return false;
  if (secured_ && commands_.empty()) waiting_ = State::kWantWrite;
  commands_.push_back({.bytes = std::unique_ptr<char, FreeCommand>(bytes), .size = static_cast<size_t>(size)});
  return true;
}

base::Status RedisConnection::Advance(const Take& take) {
  INFERD_RETURN_IF_ERROR(Connect());
  if (!secured_) return {};
  INFERD_RETURN_IF_ERROR(Write());
  return Read(take);
}

base::Status RedisConnection::Connect() {
  if (!connected_) {
    int error = 0;
    socklen_t size = sizeof error;
    if (::getsockopt(fd(), SOL_SOCKET, SO_ERROR, &error, &size) != 0) error = errno;
    if (error != 0) return base::Unavailable(std::strerror(error));
    connected_ = true;
  }
  if (secured_) return {};
  waiting_ = transport_->Handshake();
  if (waiting_ == State::kWantRead || waiting_ == State::kWantWrite) return {};
  if (waiting_ != State::kOk) return Lost(waiting_);
  secured_ = true;
  waiting_ = State::kWantWrite;
  return {};
}

base::Status RedisConnection::Write() {
  while (!commands_.empty()) {
    Command& command = commands_.front();
    const auto* const bytes = reinterpret_cast<const std::byte*>(command.bytes.get());
    const base::BufferSlice piece(base::Buffer(), bytes, command.size);
    const net::Transport::Progress progress = transport_->Write({&piece, 1}, command.sent);
    waiting_ = progress.state == State::kOk ? State::kWantWrite : progress.state;
    if (waiting_ != State::kWantWrite && waiting_ != State::kWantRead) return Lost(waiting_);
    if (progress.state != State::kOk) return {};
    command.sent += progress.bytes;
    if (command.sent == command.size) commands_.pop_front();
  }
  return {};
}

base::Status RedisConnection::Read(const Take& take) {
  std::array<std::byte, kReadBytes> space;
  has_more_ = false;
  for (int reads = 0; reads < kReadsMax; ++reads) {
    const net::Transport::Progress progress = transport_->Read(space);
    if (progress.state == State::kWantRead || progress.state == State::kWantWrite) return {};
    if (progress.state != State::kOk) return Lost(progress.state);
    const std::string_view bytes(reinterpret_cast<const char*>(space.data()), progress.bytes);
    INFERD_RETURN_IF_ERROR(bounds_.Take(bytes));
    if (redisReaderFeed(context_->reader, bytes.data(), bytes.size()) != REDIS_OK) {
      return base::Unavailable(context_->reader->errstr);
    }
    INFERD_RETURN_IF_ERROR(TakeReplies(take));
  }
  // poll() does not report bytes that TLS has already read from the socket.
  has_more_ = true;
  return {};
}

base::Status RedisConnection::TakeReplies(const Take& take) {
  while (true) {
    void* got = nullptr;
    if (redisReaderGetReply(context_->reader, &got) != REDIS_OK) return base::Unavailable(context_->reader->errstr);
    if (got == nullptr) return {};
    const std::unique_ptr<void, FreeReply> reply(got);
    INFERD_RETURN_IF_ERROR(take(*static_cast<const redisReply*>(got)));
  }
}

base::Status RedisConnection::Lost(State state) const {
  if (state == State::kEof) return base::Unavailable("it closed the connection");
  const std::string why = transport_->Failure();
  return base::Unavailable(why.empty() ? "the connection broke" : why);
}

}  // namespace inferd::cache

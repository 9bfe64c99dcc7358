#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/buffer.h"
#include "base/system/file_descriptor.h"
#include "net/event_loop.h"
#include "net/http/limits.h"
#include "net/http1/chunk_decoder.h"
#include "net/http1/head_parser.h"
#include "net/pending_output.h"
#include "net/transport.h"
#include "net/upstream/address.h"
#include "net/upstream/exchange.h"

namespace inferd::net::upstream {

class Connection;

// The owner of a loop's connections.
class ConnectionOwner {
 public:
  virtual EventLoop& loop() = 0;
  virtual const Limits& limits() const = 0;
  // Where connections may read to: shared, so what is read there is dealt with at once.
  virtual std::span<std::byte> read_space() = 0;
  // It has no request any more, and can take another.
  virtual void OnIdle(Connection& connection) = 0;
  // It is to be destroyed, not inside this call.
  virtual void OnClosed(Connection& connection) = 0;

 protected:
  ~ConnectionOwner() = default;
};

// An HTTP/1.1 connection to a server: one request after the other. Loop-bound.
//
//   kConnecting --connected--> kIdle --Begin--> kHead --> kBody --> kWhole --the receiver is told--> kIdle
//   any --refused, reset, closed, given up--> kClosed
class Connection final : public EventLoop::Watcher, public Call {
 public:
  Connection(ConnectionOwner& owner, const Address& address);
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  // Begins to connect. The error says why it cannot.
  base::Status Open();
  // Only while it has none. The receiver is not called inside.
  void Begin(const Request& request, Receiver& receiver);
  // As if the server had closed it.
  void Close();
  // Only while it is idle. False: the server has closed it, or has sent bytes that no request asked for, which would be
  // taken for the next response. It must be closed then.
  bool IsUsable() const;

  const std::string& address() const { return address_.text(); }

  // Call.
  void GiveUp() override;
  void Pause() override;
  void Resume() override;

  // The owner's: since when it has been idle.
  int64_t idle_since_ns = 0;

 private:
  enum class State { kConnecting, kIdle, kHead, kBody, kWhole, kClosed };

  void OnReady(uint32_t epoll_events) override;
  void OnConnected();
  void Flush();
  void Read();
  std::span<std::byte> Space();
  void OnBytes(std::span<const std::byte> bytes);
  // They return how many bytes they took.
  size_t TakeHead(std::string_view text);
  size_t TakeBody(std::span<const std::byte> bytes);
  size_t TakeChunked(std::span<const std::byte> bytes);
  void Deliver(std::span<const std::byte> bytes);
  void OnEof();
  // True if the server cannot have read the whole of the request. Asks the kernel.
  bool IsUntaken() const;
  void EndResponse();
  void Fail(Failure::Kind kind, std::string text);
  void UpdateInterest();

  ConnectionOwner& owner_;
  const Address address_;
  base::FileDescriptor fd_;
  std::optional<PlainTransport> transport_;
  PendingOutput output_;
  State state_ = State::kConnecting;
  uint32_t interest_ = 0;
  bool paused_ = false;

  // The request's.
  Receiver* receiver_ = nullptr;
  bool to_head_ = false;
  bool used_before_ = false;  // this request is not the connection's first
  bool reset_ = false;        // the server has closed the connection and left bytes of the request unread
  uint64_t written_ = 0;      // bytes of the request that the socket has taken
  bool answered_ = false;     // some of the response has come
  std::string input_;         // of a head that comes in pieces
  http1::HeadScanner scanner_;
  ResponseFraming framing_;
  uint64_t left_ = 0;  // of a body of known length
  http1::ChunkDecoder chunks_;
  base::Buffer large_;  // where a long body is read to
  size_t large_used_ = 0;
};

}  // namespace inferd::net::upstream

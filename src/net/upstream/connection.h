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
  // Returns the connections' shared read buffer: its bytes must be processed at once.
  virtual std::span<std::byte> read_space() = 0;
  // The connection has no request any more, and can take another.
  virtual void OnIdle(Connection& connection) = 0;
  // The connection must be destroyed, but not inside this call.
  virtual void OnClosed(Connection& connection) = 0;

 protected:
  ~ConnectionOwner() = default;
};

// An HTTP/1.1 connection to a server that sends one request after the other. Loop-bound.
//
//   kConnecting --connected--> kIdle --Begin--> kHead --> kBody --> kWhole --the receiver is told--> kIdle
//   any --refused, reset, closed, given up--> kClosed
class Connection final : public EventLoop::Watcher, public Call {
 public:
  Connection(ConnectionOwner& owner, const Address& address);
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  // Begins to connect. The error has the reason if it cannot.
  base::Status Open();
  // Sends a request. Call only while there is none. The receiver is not called inside.
  void Begin(const Request& request, Receiver& receiver);
  // Closes the connection as if the server had closed it.
  void Close();
  // Call only while idle. Returns false if the server has closed the connection, or has sent unsolicited bytes, which
  // would be taken for the next response. The caller must then close it.
  bool IsUsable() const;

  const std::string& address() const { return address_.text(); }

  // For Call.
  void GiveUp() override;
  void Pause() override;
  void Resume() override;

  // Used by the owner: the time at which it became idle.
  int64_t idle_since_ns = 0;

 private:
  enum class State { kConnecting, kIdle, kHead, kBody, kWhole, kClosed };

  void OnReady(uint32_t epoll_events) override;
  void OnConnected();
  void Flush();
  void Read();
  std::span<std::byte> Space();
  void OnBytes(std::span<const std::byte> bytes);
  // Both return the number of bytes that they took.
  size_t TakeHead(std::string_view text);
  size_t TakeBody(std::span<const std::byte> bytes);
  size_t TakeChunked(std::span<const std::byte> bytes);
  void Deliver(std::span<const std::byte> bytes);
  void OnEof();
  // True if the server cannot have read the whole request. Asks the kernel.
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

  // State of the request.
  Receiver* receiver_ = nullptr;
  bool to_head_ = false;
  bool used_before_ = false;  // this request is not the connection's first
  bool reset_ = false;        // the server closed the connection and left bytes of the request unread
  uint64_t written_ = 0;      // bytes of the request that the socket has taken
  bool answered_ = false;     // a part of the response has arrived
  std::string input_;         // a head that arrives in pieces
  http1::HeadScanner scanner_;
  ResponseFraming framing_;
  uint64_t left_ = 0;  // missing bytes of a body of known length
  http1::ChunkDecoder chunks_;
  base::Buffer large_;  // the memory of a long body
  size_t large_used_ = 0;
};

}  // namespace inferd::net::upstream

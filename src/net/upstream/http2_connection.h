#pragma once

#include <nghttp2/nghttp2.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>

#include "base/system/file_descriptor.h"
#include "net/event_loop.h"
#include "net/pending_output.h"
#include "net/transport.h"
#include "net/upstream/address.h"
#include "net/upstream/http2_stream.h"

namespace inferd::net::upstream {

class Http2Connection;

// The owner of a loop's connections.
class Http2ConnectionOwner {
 public:
  virtual EventLoop& loop() = 0;
  // Returns the connections' shared read buffer: its bytes must be processed at once.
  virtual std::span<std::byte> read_space() = 0;
  // The connection has no request any more.
  virtual void OnIdle(Http2Connection& connection) = 0;
  // The connection must be destroyed, but not inside this call.
  virtual void OnClosed(Http2Connection& connection) = 0;

 protected:
  ~Http2ConnectionOwner() = default;
};

// An HTTP/2 connection to a server, without TLS, with prior knowledge. It carries many requests at a time. Loop-bound.
//
//   kConnecting --connected--> kOpen --GOAWAY--> kLeaving --last stream--> kClosed
//   any --refused, reset, closed, no HTTP/2--> kClosed
class Http2Connection final : public EventLoop::Watcher, public Http2StreamOwner {
 public:
  Http2Connection(Http2ConnectionOwner& owner, const Address& address);
  ~Http2Connection();
  Http2Connection(const Http2Connection&) = delete;
  Http2Connection& operator=(const Http2Connection&) = delete;

  // Begins to connect. The error has the reason if it cannot.
  base::Status Open();
  // True if the connection takes another request.
  bool CanBegin() const;
  // Begins a request. The receiver is not called inside. RESOURCE_EXHAUSTED if the connection takes no request.
  base::Status Begin(const Http2Request& request, Http2Receiver& receiver);

  // True if the connection is open and has no request.
  bool idle() const { return state_ == State::kOpen && streams_.empty(); }
  // Ends the connection with a GOAWAY to the server.
  void Close();

  const std::string& address() const { return address_.text(); }
  int64_t idle_since_ns = 0;  // used by the owner

  // For Http2StreamOwner.
  nghttp2_session* session() override { return session_.get(); }
  void SendSoon() override;

 private:
  enum class State { kConnecting, kOpen, kLeaving, kClosed };
  struct Deleter {
    void operator()(nghttp2_session* session) const { nghttp2_session_del(session); }
  };
  struct Callbacks;  // nghttp2's callbacks

  void OnReady(uint32_t epoll_events) override;
  bool OnConnected();
  void Read();
  void Flush();
  void UpdateInterest();
  void OnFrame(const nghttp2_frame& frame);
  void OnStreamClosed(int32_t id, uint32_t code);
  Http2Stream* Find(int32_t id) const;
  // Fails all streams in flight.
  void Fail(Failure::Kind kind, const std::string& why);

  Http2ConnectionOwner& owner_;
  const Address address_;
  base::FileDescriptor fd_;
  std::optional<PlainTransport> transport_;
  PendingOutput output_;
  State state_ = State::kConnecting;
  uint32_t interest_ = 0;
  bool sends_soon_ = false;
  const std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
  std::unordered_map<int32_t, std::unique_ptr<Http2Stream>> streams_;
  std::unique_ptr<nghttp2_session, Deleter> session_;
};

}  // namespace inferd::net::upstream

#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "base/buffer.h"
#include "net/upstream/exchange.h"

namespace inferd::net::upstream {

class Http2Call;

// A request to another server over HTTP/2, whose body follows piece by piece. The views must be valid only while the
// request is begun.
struct Http2Request {
  std::string_view method;
  std::string_view path;
  std::string_view authority;
  std::span<const FieldView> fields;  // without fields of the connection or of the framing, and without Host
};

// Receives such a request's result. Destroying it cancels the request. Loop-bound.
//
//   OnHead, OnBody..., OnEnd    or    OnFailure at any point in place of what is missing
//
// It may be destroyed in OnEnd and OnFailure only; it may give up in any call.
class Http2Receiver {
 public:
  Http2Receiver() = default;
  virtual ~Http2Receiver() { GiveUp(); }
  Http2Receiver(const Http2Receiver&) = delete;
  Http2Receiver& operator=(const Http2Receiver&) = delete;

  // If `whole`, the head is the complete response.
  virtual void OnHead(int status, std::span<const FieldView> fields, bool whole) = 0;
  virtual void OnBody(base::BufferSlice piece) = 0;
  virtual void OnEnd(std::span<const FieldView> trailers) = 0;
  virtual void OnFailure(Failure failure) = 0;
  // Called when fewer than kWaitingMax bytes wait, after Write() has returned false.
  virtual void OnDrained() = 0;

  // Writes a piece of the request's body. Returns false if more than kWaitingMax bytes wait to be sent, or the request
  // is over.
  bool Write(base::BufferSlice piece);
  void EndBody();
  // Suspends OnBody() until Resume(), except for bytes that have arrived already.
  void Pause();
  void Resume();
  // Cancels the request: no further calls.
  void GiveUp();

  static constexpr size_t kWaitingMax = 256 << 10;

 private:
  friend class Http2Call;
  Http2Call* call_ = nullptr;
};

// A request on a connection, as its receiver sees it. Loop-bound.
class Http2Call {
 public:
  virtual bool Write(base::BufferSlice piece) = 0;
  virtual void EndBody() = 0;
  virtual void Pause() = 0;
  virtual void Resume() = 0;
  virtual void GiveUp() = 0;

 protected:
  ~Http2Call() = default;
  static void Join(Http2Call& call, Http2Receiver& receiver) { receiver.call_ = &call; }
  static void Part(Http2Receiver& receiver) { receiver.call_ = nullptr; }
};

inline bool Http2Receiver::Write(base::BufferSlice piece) { return call_ != nullptr && call_->Write(std::move(piece)); }
inline void Http2Receiver::EndBody() {
  if (call_ != nullptr) call_->EndBody();
}
inline void Http2Receiver::Pause() {
  if (call_ != nullptr) call_->Pause();
}
inline void Http2Receiver::Resume() {
  if (call_ != nullptr) call_->Resume();
}
inline void Http2Receiver::GiveUp() {
  if (Http2Call* const call = std::exchange(call_, nullptr)) call->GiveUp();
}

}  // namespace inferd::net::upstream

#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "base/buffer.h"
#include "net/upstream/exchange.h"

namespace inferd::net::upstream {

class Http2Call;

// A request to another server over HTTP/2, whose body follows it piece by piece. The views need to be valid while it is
// begun only.
struct Http2Request {
  std::string_view method;
  std::string_view path;
  std::string_view authority;
  std::span<const FieldView> fields;  // none of the connection or of the framing, nor Host
};

// What becomes of such a request. Destroying it gives the request up. Loop-bound.
//
//   OnHead, OnBody..., OnEnd    or    OnFailure at any point in place of what is missing
//
// It may be destroyed in OnEnd and OnFailure, and in no other; it may give up in any.
class Http2Receiver {
 public:
  Http2Receiver() = default;
  virtual ~Http2Receiver() { GiveUp(); }
  Http2Receiver(const Http2Receiver&) = delete;
  Http2Receiver& operator=(const Http2Receiver&) = delete;

  // `whole`: it is all of the response.
  virtual void OnHead(int status, std::span<const FieldView> fields, bool whole) = 0;
  virtual void OnBody(base::BufferSlice piece) = 0;
  virtual void OnEnd(std::span<const FieldView> trailers) = 0;
  virtual void OnFailure(Failure failure) = 0;
  // Less waits than kWaitingMax, after Write has said that more does.
  virtual void OnDrained() = 0;

  // Of the request's body. False: more than kWaitingMax waits to be sent, or the request is over.
  bool Write(base::BufferSlice piece);
  void EndBody();
  // No OnBody until Resume, but for what has come already.
  void Pause();
  void Resume();
  // No further calls.
  void GiveUp();

  static constexpr size_t kWaitingMax = 256 << 10;

 private:
  friend class Http2Call;
  Http2Call* call_ = nullptr;
};

// A receiver's request on a connection, as the receiver sees it. Loop-bound.
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

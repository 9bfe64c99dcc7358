#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "base/buffer.h"
#include "net/upstream/response_head.h"

namespace inferd::net::upstream {

class Call;

// A request to another server. The views must be valid only while it is being sent; `body` is shared until it is
// written.
struct Request {
  std::string_view method;
  std::string_view target;            // "/v2/models/m?x=1", as it is sent
  std::span<const FieldView> fields;  // with Host; without fields of the connection or of the framing
  base::BufferSlice body;
  bool says_length = true;  // send Content-Length, even if it is 0
};

// The reason for an incomplete response.
struct Failure {
  enum class Kind : uint8_t {
    kNotConnected,  // nothing was sent: another server may be tried
    kStale,         // the server closed a reused connection before it answered anything
    kUntaken,       // stale, and the server has not read the whole request: it may be retried, whatever its method
    kBroken,        // closed or reset in the middle
    kMalformed,     // the response is malformed
  };
  Kind kind = Kind::kBroken;
  std::string text;
};

// Receives a request's result. Destroying it cancels the request. Loop-bound.
//
//   OnHead, OnBody..., OnEnd    or    OnFailure at any point in place of what is missing
class Receiver {
 public:
  Receiver() = default;
  virtual ~Receiver() { GiveUp(); }
  Receiver(const Receiver&) = delete;
  Receiver& operator=(const Receiver&) = delete;

  // The response's head; interim ones (1xx) are skipped.
  virtual void OnHead(const ResponseHead& head) = 0;
  virtual void OnBody(base::BufferSlice piece) = 0;
  // The last calls. The receiver may be destroyed in these only; it may give up in any call.
  virtual void OnEnd() = 0;
  virtual void OnFailure(Failure failure) = 0;

  // Suspends OnBody() until Resume(), except for the remaining bytes of a server that is gone.
  void Pause();
  void Resume();
  // Cancels the request: no further calls.
  void GiveUp();

 private:
  friend class Call;
  Call* call_ = nullptr;
};

// A request on a connection, as its receiver sees it. It exists until the last call to the receiver. Loop-bound.
class Call {
 public:
  // Cancels the request; the receiver is not called any more.
  virtual void GiveUp() = 0;
  virtual void Pause() = 0;
  virtual void Resume() = 0;

 protected:
  ~Call() = default;
  static void Join(Call& call, Receiver& receiver) { receiver.call_ = &call; }
  static void Part(Receiver& receiver) { receiver.call_ = nullptr; }
};

inline void Receiver::GiveUp() {
  if (Call* const call = std::exchange(call_, nullptr)) call->GiveUp();
}
inline void Receiver::Pause() {
  if (call_ != nullptr) call_->Pause();
}
inline void Receiver::Resume() {
  if (call_ != nullptr) call_->Resume();
}

}  // namespace inferd::net::upstream

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

// A request to another server. The views need to be valid while it is sent only; `body` is shared until it is written.
struct Request {
  std::string_view method;
  std::string_view target;            // "/v2/models/m?x=1", as it goes out
  std::span<const FieldView> fields;  // Host among them; none of the connection or of the framing
  base::BufferSlice body;
  bool says_length = true;  // Content-Length goes with it, also where it is 0
};

// Why there is no whole response.
struct Failure {
  enum class Kind : uint8_t {
    kNotConnected,  // nothing was sent: another server may be asked
    kStale,         // a connection that had been used before was closed by the server before it answered anything
    kUntaken,       // stale, and the server has not read the request whole: it may be sent again, whatever its method
    kBroken,        // closed or reset in the middle
    kMalformed,     // the response is none
  };
  Kind kind = Kind::kBroken;
  std::string text;
};

// What becomes of a request. Destroying it gives the request up. Loop-bound.
//
//   OnHead, OnBody..., OnEnd    or    OnFailure at any point in place of what is missing
class Receiver {
 public:
  Receiver() = default;
  virtual ~Receiver() { GiveUp(); }
  Receiver(const Receiver&) = delete;
  Receiver& operator=(const Receiver&) = delete;

  // Of the response; interim ones (1xx) are not shown.
  virtual void OnHead(const ResponseHead& head) = 0;
  virtual void OnBody(base::BufferSlice piece) = 0;
  // The last calls. The receiver may be destroyed in them, and in no other; it may give up in any.
  virtual void OnEnd() = 0;
  virtual void OnFailure(Failure failure) = 0;

  // No OnBody until Resume, but for what a server has left that has gone.
  void Pause();
  void Resume();
  // No further calls.
  void GiveUp();

 private:
  friend class Call;
  Call* call_ = nullptr;
};

// A receiver's request on a connection, as the receiver sees it: there until the last call to the receiver. Loop-bound.
class Call {
 public:
  // The receiver wants nothing any more.
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

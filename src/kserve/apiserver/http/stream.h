#pragma once

#include <chrono>
#include <string>
#include <utility>

#include "base/buffer.h"
#include "net/http/http.h"

namespace inferd::apiserver {

// An answer that goes on: a watch, or a log that is followed. Loop-bound.
class Stream {
 public:
  Stream(net::Reply reply, std::chrono::seconds timeout) : reply_(std::move(reply)), timeout_(timeout) {}
  virtual ~Stream() = default;

  // Begins the answer, or gives all of it.
  virtual void Start() = 0;
  // Sends what there is, as far as the client takes it.
  virtual void Pump() = 0;
  // Five times a second.
  virtual void Tick() = 0;
  // Its time is over, or the server's.
  virtual void Finish() { End(); }

  bool over() const { return over_; }
  // The client has not taken yet what was written: Pump does nothing until Resume.
  bool full() const { return full_; }
  void Resume() { full_ = false; }
  // The last call of Start or Pump has done its share, and there is more: call Pump once others had their turn.
  bool unfinished() const { return unfinished_; }
  net::Reply& reply() { return reply_; }
  std::chrono::seconds timeout() const { return timeout_; }

 protected:
  void Write(const std::string& text) {
    if (!text.empty()) Write(base::BufferSlice(base::Buffer::CopyOf(text)));
  }
  void Write(base::BufferSlice piece) {
    if (!over_ && !reply_.Write(std::move(piece))) full_ = true;
  }
  void SetUnfinished(bool unfinished) { unfinished_ = unfinished; }
  void End() {
    if (!std::exchange(over_, true)) reply_.End();
  }
  void Refuse(net::HttpResponse response) {
    over_ = true;
    reply_.Send(std::move(response));
  }

 private:
  net::Reply reply_;
  const std::chrono::seconds timeout_;
  bool full_ = false;
  bool over_ = false;
  bool unfinished_ = false;
};

}  // namespace inferd::apiserver

#pragma once

#include <chrono>
#include <string>
#include <utility>

#include "base/buffer.h"
#include "net/http/http.h"

namespace inferd::apiserver {

// A response without a fixed end: a watch, or a followed log. Loop-bound.
class Stream {
 public:
  Stream(net::Reply reply, std::chrono::seconds timeout) : reply_(std::move(reply)), timeout_(timeout) {}
  virtual ~Stream() = default;

  // Begins the response, or sends all of it.
  virtual void Start() = 0;
  // Sends the available data, as far as the client reads it.
  virtual void Pump() = 0;
  // Called five times a second.
  virtual void Tick() = 0;
  // Called when its timeout has passed, or the server stops.
  virtual void Finish() { End(); }

  bool over() const { return over_; }
  // True if the client has not read the written data yet. Do not call Pump before Resume.
  bool full() const { return full_; }
  void Resume() { full_ = false; }
  // True if the last call of Start or Pump has used up its share, and there is more data. Call Pump again after other
  // work.
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

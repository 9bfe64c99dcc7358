#pragma once

#include <deque>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/executor.h"
#include "net/http/exchange.h"
#include "net/http/http.h"
#include "net/loop/loop.h"

// Stand-ins for a front-end handler's surroundings, driven by hand. Single-threaded.

namespace inferd::net {

// A loop that keeps posted tasks until RunAll().
class FakeLoop final : public Loop {
 public:
  void Post(base::Task task) override { tasks_.push_back(std::move(task)); }
  bool InLoopThread() const override { return in_loop; }
  TimerId RunAfter(std::chrono::milliseconds, base::Task task) override {
    timers_.emplace(++last_timer_, std::move(task));
    return last_timer_;
  }
  void CancelTimer(TimerId id) override { timers_.erase(id); }
  size_t index() const override { return 0; }

  size_t RunAll() {
    size_t ran = 0;
    for (; !tasks_.empty(); ++ran) {
      base::Task task = std::move(tasks_.front());
      tasks_.pop_front();
      task();
    }
    return ran;
  }

  // Runs all timers as if their time had come.
  void RunTimers() {
    for (auto& [id, task] : std::exchange(timers_, {})) task();
  }
  size_t timers() const { return timers_.size(); }

  bool in_loop = true;

 private:
  std::deque<base::Task> tasks_;
  std::map<TimerId, base::Task> timers_;
  TimerId last_timer_ = 0;
};

class FakePool final : public base::Executor {
 public:
  void Post(base::Task task) override { tasks_.push_back(std::move(task)); }
  size_t RunAll() {
    size_t ran = 0;
    for (; !tasks_.empty(); ++ran) {
      base::Task task = std::move(tasks_.front());
      tasks_.pop_front();
      task();
    }
    return ran;
  }
  size_t queued() const { return tasks_.size(); }

 private:
  std::deque<base::Task> tasks_;
};

class FakeExchange final : public Exchange {
 public:
  using Exchange::Exchange;
  void Send(HttpResponse&& response) override {
    responses.push_back(std::move(response));
    Close();
  }
  // A streamed response is added to `responses` at its start, and grows.
  void Start(HttpResponse&& response) override {
    responses.push_back(std::move(response));
    in_pieces = true;
  }
  bool Write(base::BufferSlice piece) override {
    responses.back().body.push_back(std::move(piece));
    return takes_more;
  }
  void End(Trailers) override {
    in_pieces = false;
    Close();
  }
  void Abandon() override {
    if (in_pieces) return End({});
    Send(HttpResponse::Text(500, "", "abandoned"));
  }
  void OnWritable(base::Task task) override { on_writable = std::move(task); }
  void OnPeerGone(base::Task task) override { on_peer_gone = std::move(task); }
  void PauseBody() override {}
  void ResumeBody() override {}
  void TellPeerGone() override {
    if (!on_peer_gone) return;
    if (loop != nullptr) return loop->Post(std::exchange(on_peer_gone, {}));
    std::exchange(on_peer_gone, {})();
  }

  std::vector<HttpResponse> responses;
  bool in_pieces = false;  // true if a streamed response has begun and is not complete
  bool takes_more = true;  // the result of Write
  // The loop on which the handler learns that the peer is gone, as with a transport; null to tell it at once
  Loop* loop = nullptr;
  base::Task on_writable;
  base::Task on_peer_gone;
};

inline std::string BodyText(const HttpResponse& response) {
  std::string text;
  for (const base::BufferSlice& piece : response.body) text += piece.view();
  return text;
}

inline std::string HeaderValue(const HttpResponse& response, std::string_view name) {
  if (name == "Content-Type") return std::string(response.content_type);
  for (const auto& [key, value] : response.headers) {
    if (key == name) return value;
  }
  return "";
}

}  // namespace inferd::net

#pragma once

#include <chrono>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "net/payloadlog/payload_sink.h"

namespace inferd::payloadlog {

// The shared state of a test log's sinks. Thread-safe.
class FakeSinkState final {
 public:
  // Sets the answers of the next calls, one each; later calls succeed.
  void Answer(std::deque<base::Status> answers) {
    const std::lock_guard lock(mutex_);
    answers_ = std::move(answers);
  }
  // Makes calls wait until Release().
  void Hold() {
    const std::lock_guard lock(mutex_);
    held_ = true;
  }
  void Release() {
    {
      const std::lock_guard lock(mutex_);
      held_ = false;
    }
    changed_.notify_all();
  }
  // Returns the bodies that came, in order, whatever the answers.
  std::vector<std::string> WaitForBodies(size_t count) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return bodies_.size() >= count; });
    return bodies_;
  }
  std::vector<std::string> bodies() { return WaitForBodies(0); }

  base::Status Take(const Payload& payload) {
    std::string body;
    for (const base::BufferSlice& piece : payload.body) body += piece.view();
    std::unique_lock lock(mutex_);
    bodies_.push_back(std::move(body));
    changed_.notify_all();
    changed_.wait(lock, [this] { return !held_; });
    if (answers_.empty()) return base::OkStatus();
    base::Status answer = answers_.front();
    answers_.pop_front();
    return answer;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<base::Status> answers_;
  std::vector<std::string> bodies_;
  bool held_ = false;
};

class FakePayloadSink final : public PayloadSink {
 public:
  explicit FakePayloadSink(FakeSinkState& state) : state_(state) {}
  base::Status Send(const Payload& payload) override { return state_.Take(payload); }

 private:
  FakeSinkState& state_;
};

}  // namespace inferd::payloadlog

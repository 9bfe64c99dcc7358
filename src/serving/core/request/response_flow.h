#pragma once

#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include "base/executor.h"
#include "base/mutex.h"

namespace inferd::core {

struct InferResponse;

// Back-pressure for a request with many responses. It holds the responses that the client has not taken yet: the
// front-end counts each one, and the engine asks for room before the next and may wait for it. Thread-safe.
class ResponseFlow final : public std::enable_shared_from_this<ResponseFlow> {
 public:
  struct Limits {
    size_t responses_held = 64;  // from here on, the engine is told to hold until half of them are taken
    size_t bytes_held = size_t{1} << 20;
    size_t responses_max = 1024;  // beyond this, the request is given up
    size_t bytes_max = size_t{64} << 20;
  };

  // One response that waits to be taken, until this object is destroyed. Empty if default-constructed.
  class Place {
   public:
    Place() = default;
    Place(std::shared_ptr<ResponseFlow> flow, size_t bytes) : flow_(std::move(flow)), bytes_(bytes) {}
    Place(Place&& other) noexcept : flow_(std::move(other.flow_)), bytes_(other.bytes_) {}
    Place& operator=(Place&& other) noexcept {
      std::swap(flow_, other.flow_);
      std::swap(bytes_, other.bytes_);
      return *this;
    }
    ~Place() {
      if (flow_ != nullptr) flow_->Leave(bytes_);
    }

   private:
    std::shared_ptr<ResponseFlow> flow_;
    size_t bytes_ = 0;
  };

  // `executor` outlives this object. It runs tasks that waited for room, so that they do not run inside of Place's
  // destructor.
  ResponseFlow(const Limits& limits, base::Executor& executor) : limits_(limits), executor_(executor) {}
  // For responses from which other responses are made: there is room only if `further` also has room.
  ResponseFlow(const Limits& limits, std::shared_ptr<ResponseFlow> further)
      : limits_(limits), executor_(further->executor_), further_(std::move(further)) {}

  // Count a response that has come, by its bytes or by its outputs.
  Place Enter(size_t bytes);
  Place Enter(const InferResponse& response);

  // Returns true if there is room for another response.
  bool open() const;
  // Returns true if more responses wait than an engine that obeys the hold would have sent.
  bool overfull() const;

  // Runs `task` once: at once on this thread if there is room, or by the executor when half of the room is free. So an
  // engine that holds is woken for many responses at a time.
  void WhenOpen(base::Task task);

 private:
  bool OpenLocked() const REQUIRES(mutex_) {
    return responses_ < limits_.responses_held && bytes_ < limits_.bytes_held;
  }
  bool HalfOpenLocked() const REQUIRES(mutex_) {
    return responses_ <= limits_.responses_held / 2 && bytes_ <= limits_.bytes_held / 2;
  }
  void Leave(size_t bytes);

  const Limits limits_;
  base::Executor& executor_;
  const std::shared_ptr<ResponseFlow> further_;  // null if none
  mutable base::Mutex mutex_;
  size_t responses_ GUARDED_BY(mutex_) = 0;
  size_t bytes_ GUARDED_BY(mutex_) = 0;
  std::vector<base::Task> waiting_ GUARDED_BY(mutex_);
};

}  // namespace inferd::core

#pragma once

#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include "base/executor.h"
#include "base/mutex.h"

namespace inferd::core {

struct InferResponse;

// The responses to one request that its client has not taken yet, where the request may have many. The front-end counts
// each; the engine asks whether there is room for another, and may wait until there is. Thread-safe.
class ResponseFlow final : public std::enable_shared_from_this<ResponseFlow> {
 public:
  struct Limits {
    size_t responses_held = 64;  // with so many waiting, the engine is told to hold until half of them are taken,
    size_t bytes_held = size_t{1} << 20;
    size_t responses_max = 1024;  // and with so many, the request is given up
    size_t bytes_max = size_t{64} << 20;
  };

  // One response that waits, until this is destroyed. Empty: none.
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

  // `executor` runs what waits for room: not the thread that makes room, inside of what it does. It outlives this.
  ResponseFlow(const Limits& limits, base::Executor& executor) : limits_(limits), executor_(executor) {}
  // Of responses that others are made of: there is room as long as there is for those, too.
  ResponseFlow(const Limits& limits, std::shared_ptr<ResponseFlow> further)
      : limits_(limits), executor_(further->executor_), further_(std::move(further)) {}

  // A response of so many bytes, or with the outputs of this one, comes.
  Place Enter(size_t bytes);
  Place Enter(const InferResponse& response);

  // Whether there is room for another response.
  bool open() const;
  // More waits than an engine that holds when it is told to would have sent.
  bool overfull() const;

  // `task` runs once: here and now if there is room, else by the executor when half of what may wait has gone. An engine
  // that holds is woken for many responses, and not for each.
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
  const std::shared_ptr<ResponseFlow> further_;  // null: none
  mutable base::Mutex mutex_;
  size_t responses_ GUARDED_BY(mutex_) = 0;
  size_t bytes_ GUARDED_BY(mutex_) = 0;
  std::vector<base::Task> waiting_ GUARDED_BY(mutex_);
};

}  // namespace inferd::core

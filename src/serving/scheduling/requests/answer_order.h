#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include "base/mutex.h"
#include "serving/core/scheduler.h"

namespace inferd::scheduling {

// Releases answers in the order in which their requests came (ModelDynamicBatching.preserve_ordering), whatever order
// they are made in. An answer that is early is kept, and its request's place among the requests in flight with it, so
// that there are never more of them than the server allows. Thread-safe; outlives the requests.
class AnswerOrder final {
 public:
  // The request's answers are sent once every request that joined before has had its final one. No callback is called
  // under a lock, nor two of them at once.
  void Join(core::QueuedRequest& queued);

 private:
  struct Turn {
    core::Completion completion;
    core::InflightLimit::Slot slot;
    std::shared_ptr<core::RequestTrace> trace;  // null: it is not traced
    std::deque<core::InferResponse> kept;
  };

  void Send(uint64_t number, core::InferResponse response);

  base::Mutex mutex_;
  bool sending_ GUARDED_BY(mutex_) = false;  // a thread is at it, and will look again
  uint64_t first_ GUARDED_BY(mutex_) = 0;    // the number of turns_.front()
  std::deque<Turn> turns_ GUARDED_BY(mutex_);
};

}  // namespace inferd::scheduling

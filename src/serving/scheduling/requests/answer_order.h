#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include "base/mutex.h"
#include "serving/core/scheduler.h"

namespace inferd::scheduling {

// Sends responses in the order in which their requests came (ModelDynamicBatching.preserve_ordering), in whatever order
// they are computed. An early response is kept, together with its request's slot, so that the server never has more
// requests in flight than it allows. Thread-safe; outlives the requests.
class AnswerOrder final {
 public:
  // Makes the request's responses wait until every request that joined earlier has had its final one. No callback runs
  // under a lock, and no two run at once.
  void Join(core::QueuedRequest& queued);

 private:
  struct Turn {
    core::Completion completion;
    core::InflightLimit::Slot slot;
    std::shared_ptr<core::RequestTrace> trace;  // null if it is not traced
    std::deque<core::InferResponse> kept;
  };

  void Send(uint64_t number, core::InferResponse response);

  base::Mutex mutex_;
  bool sending_ GUARDED_BY(mutex_) = false;  // a thread is sending, and will look again
  uint64_t first_ GUARDED_BY(mutex_) = 0;    // the number of turns_.front()
  std::deque<Turn> turns_ GUARDED_BY(mutex_);
};

}  // namespace inferd::scheduling

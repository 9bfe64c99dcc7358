#include "serving/worker/parent/response_hold.h"

#include <chrono>

#include "base/mutex.h"
#include "serving/core/request/response_flow.h"

namespace inferd::worker {

// Lives as long as the flow that notifies it, which may be longer than the execution.
struct ResponseHold::Opening {
  void Tell() {
    const base::MutexLock lock(mutex);
    open = true;
    changed.NotifyAll();
  }

  base::Mutex mutex;
  base::CondVar changed;
  bool open GUARDED_BY(mutex) = false;
};

bool ResponseHold::Holds(const core::Execution& execution, size_t request) {
  const std::shared_ptr<core::ResponseFlow>& flow = execution.request(request).flow;
  if (flow == nullptr || flow->open() || execution.IsCancelled(request)) {
    opening_ = nullptr;
    return false;
  }
  if (opening_ == nullptr) {
    opening_ = std::make_shared<Opening>();
    flow->WhenOpen([opening = opening_] { opening->Tell(); });
  }
  return true;
}

void ResponseHold::Wait(int64_t timeout_ns) {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::nanoseconds(timeout_ns);
  base::MutexLock lock(opening_->mutex);
  while (!opening_->open) {
    if (opening_->changed.WaitUntil(opening_->mutex, deadline) == std::cv_status::timeout) return;
  }
  lock.unlock();
  opening_ = nullptr;
}

}  // namespace inferd::worker

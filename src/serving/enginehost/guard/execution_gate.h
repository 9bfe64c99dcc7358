#pragma once

#include <atomic>
#include <chrono>

#include "base/mutex.h"

namespace inferd::enginehost {

// Lets executions run side by side, and now and then one alone. Thread-safe. Entering costs two atomic operations while
// no execution wants to be alone.
class ExecutionGate final {
 public:
  // Waits while an execution is alone, or waits to be.
  void Enter();
  void Leave();

  // Waits until all others have left, and keeps new ones out meanwhile. False: they had not by the deadline.
  bool EnterAlone(std::chrono::steady_clock::time_point deadline);
  void LeaveAlone();

 private:
  void Open() REQUIRES(mutex_);

  std::atomic<int> inside_{0};
  std::atomic<bool> closed_{false};
  base::Mutex mutex_;
  base::CondVar changed_;
};

}  // namespace inferd::enginehost

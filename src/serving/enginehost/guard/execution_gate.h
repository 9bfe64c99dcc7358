#pragma once

#include <atomic>
#include <chrono>

#include "base/mutex.h"

namespace inferd::enginehost {

// Lets executions run side by side, and now and then one alone. Thread-safe. Enter() costs two atomic operations while
// no execution wants to run alone.
class ExecutionGate final {
 public:
  // Blocks while an execution runs alone or waits to.
  void Enter();
  void Leave();

  // Blocks until all others have left, and keeps new ones out. Returns false if they have not left by the deadline.
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

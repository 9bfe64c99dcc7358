#include "serving/enginehost/guard/execution_gate.h"

namespace inferd::enginehost {

void ExecutionGate::Enter() {
  for (;;) {
    inside_.fetch_add(1);
    if (!closed_.load()) return;
    Leave();
    base::MutexLock lock(mutex_);
    while (closed_.load()) changed_.Wait(mutex_);
  }
}

void ExecutionGate::Leave() {
  if (inside_.fetch_sub(1) != 1 || !closed_.load()) return;
  base::MutexLock lock(mutex_);
  changed_.NotifyAll();
}

bool ExecutionGate::EnterAlone(std::chrono::steady_clock::time_point deadline) {
  base::MutexLock lock(mutex_);
  while (closed_.load()) {
    if (changed_.WaitUntil(mutex_, deadline) == std::cv_status::timeout && closed_.load()) return false;
  }
  closed_.store(true);
  while (inside_.load() != 0) {
    if (changed_.WaitUntil(mutex_, deadline) == std::cv_status::timeout && inside_.load() != 0) {
      Open();
      return false;
    }
  }
  return true;
}

void ExecutionGate::LeaveAlone() {
  base::MutexLock lock(mutex_);
  Open();
}

void ExecutionGate::Open() {
  closed_.store(false);
  changed_.NotifyAll();
}

}  // namespace inferd::enginehost

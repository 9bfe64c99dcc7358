#pragma once

#include "base/executor.h"

namespace inferd::ensemble {

// Runs a task on the thread that posts it, after the tasks that this thread already has: a task that posts another one
// ends before that one begins. If a task throws (std::bad_alloc), the tasks after it still run, and the call that runs
// them throws the first exception. Thread-safe.
class HereExecutor final : public base::Executor {
 public:
  static HereExecutor& Get();
  void Post(base::Task task) override;
};

}  // namespace inferd::ensemble

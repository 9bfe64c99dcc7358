#pragma once

#include "base/executor.h"

namespace inferd::ensemble {

// Runs a task on the thread that posts it, behind those that this thread is about to run: a task that posts another one
// has ended before that one begins. Where a task throws (std::bad_alloc), those behind it run all the same, and the
// call that runs them throws what came first. Thread-safe.
class HereExecutor final : public base::Executor {
 public:
  static HereExecutor& Get();
  void Post(base::Task task) override;
};

}  // namespace inferd::ensemble

#pragma once

#include <memory>
#include <string>
#include <thread>

#include "base/executor.h"

namespace inferd::enginehost {

// The thread on which an instance computes, where another one prepares its next execution meanwhile. Runs what is
// posted, in order. Thread-safe.
class ComputeThread final : public base::Executor {
 public:
  // Throws std::system_error: there is no thread to be had.
  explicit ComputeThread(const std::string& name);
  // Nothing is left to run but what calls this, if it is called on the thread itself: by an execution whose end is that
  // of its instance.
  ~ComputeThread() override;
  ComputeThread(const ComputeThread&) = delete;
  ComputeThread& operator=(const ComputeThread&) = delete;

  void Post(base::Task task) override;

 private:
  struct Queue;

  const std::shared_ptr<Queue> queue_;  // the thread's, too, which may outlive this
  std::thread thread_;
};

}  // namespace inferd::enginehost

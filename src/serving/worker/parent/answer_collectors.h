#pragma once

#include <deque>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "base/mutex.h"
#include "serving/core/engine.h"
#include "serving/worker/parent/channel_caller.h"

namespace inferd::worker {

// Threads of an instance that wait for the answers to executions while further executions begin. Threads are started as
// executions need them, so an instance without overlapping executions has one. Thread-safe.
class AnswerCollectors final {
 public:
  AnswerCollectors(size_t threads_max, std::string thread_name)
      : threads_max_(threads_max), thread_name_(std::move(thread_name)) {}
  // Every execution must be finished.
  ~AnswerCollectors();
  AnswerCollectors(const AnswerCollectors&) = delete;
  AnswerCollectors& operator=(const AnswerCollectors&) = delete;

  // Collects the answers to an execution that has begun on `caller`. Returns before they have come, unless the system
  // has no thread for it.
  void Collect(std::shared_ptr<ChannelCaller> caller, core::Execution& execution);

 private:
  struct Job {
    std::shared_ptr<ChannelCaller> caller;
    core::Execution* execution = nullptr;
  };

  // Returns false if no thread will take the jobs.
  bool Start() REQUIRES(mutex_);
  void Run();

  const size_t threads_max_;
  const std::string thread_name_;
  base::Mutex mutex_;
  base::CondVar changed_;
  bool ending_ GUARDED_BY(mutex_) = false;
  size_t idle_ GUARDED_BY(mutex_) = 0;  // idle threads
  std::deque<Job> jobs_ GUARDED_BY(mutex_);
  std::vector<std::thread> threads_ GUARDED_BY(mutex_);
};

}  // namespace inferd::worker

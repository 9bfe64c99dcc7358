#pragma once

#include <sys/types.h>

#include <atomic>
#include <functional>
#include <memory>
#include <vector>

#include "base/mutex.h"
#include "base/status.h"
#include "serving/worker/channel/channel_memory.h"

namespace inferd::worker {

// Whether a worker process can still be relied upon. Thread-safe.
//
//   alive --Kill, or End--> lost, for good
class WorkerLife final {
 public:
  // `kill` ends the process; called at most once, on any thread. `process`: its number; 0: none.
  explicit WorkerLife(std::move_only_function<void()> kill, pid_t process = 0)
      : process_(process), kill_(std::move(kill)) {}
  WorkerLife(const WorkerLife&) = delete;
  WorkerLife& operator=(const WorkerLife&) = delete;

  pid_t process() const { return process_; }
  bool lost() const { return lost_.load(std::memory_order_acquire); }
  // Once lost(): what requests are told. The first reason counts.
  base::Status why() const;

  void Kill(base::Status why);
  // The process has ended by itself.
  void End(base::Status why);

  // Blocks until lost(); why.
  base::Status AwaitLoss();

  // A thread that waits for answers there is woken when the process is lost, if the memory still has a user then.
  void Watch(const std::shared_ptr<ChannelMemory>& memory);

 private:
  void Lose(base::Status why, bool kill);

  const pid_t process_;
  std::atomic<bool> lost_{false};
  mutable base::Mutex mutex_;
  base::Status why_ GUARDED_BY(mutex_);
  std::move_only_function<void()> kill_ GUARDED_BY(mutex_);
  base::CondVar changed_;
  std::vector<std::weak_ptr<ChannelMemory>> watched_ GUARDED_BY(mutex_);
};

}  // namespace inferd::worker

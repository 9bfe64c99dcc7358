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

// The life of a worker process: alive, or lost. Thread-safe.
//
//   alive --Kill, or End--> lost, for good
class WorkerLife final {
 public:
  // `kill` ends the process; it is called at most once, on any thread. `process` is its id; 0 if there is none.
  explicit WorkerLife(std::move_only_function<void()> kill, pid_t process = 0)
      : process_(process), kill_(std::move(kill)) {}
  WorkerLife(const WorkerLife&) = delete;
  WorkerLife& operator=(const WorkerLife&) = delete;

  pid_t process() const { return process_; }
  bool lost() const { return lost_.load(std::memory_order_acquire); }
  // The reason for the loss, as requests get it. Call once lost(). The first reason counts.
  base::Status why() const;

  void Kill(base::Status why);
  // Call when the process has ended by itself.
  void End(base::Status why);

  // Blocks until lost(). Returns the reason.
  base::Status AwaitLoss();

  // Wakes a thread that waits for answers there when the process is lost, if the memory still has a user then.
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

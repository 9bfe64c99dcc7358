#include "serving/worker/parent/worker_life.h"

namespace inferd::worker {

base::Status WorkerLife::why() const {
  base::MutexLock lock(mutex_);
  return why_;
}

void WorkerLife::Kill(base::Status why) { Lose(std::move(why), true); }
void WorkerLife::End(base::Status why) { Lose(std::move(why), false); }

void WorkerLife::Lose(base::Status why, bool kill) {
  std::vector<std::weak_ptr<ChannelMemory>> watched;
  {
    base::MutexLock lock(mutex_);
    if (lost()) return;
    why_ = std::move(why);
    lost_.store(true, std::memory_order_release);
    watched.swap(watched_);
    if (kill) kill_();
    changed_.NotifyAll();
  }
  for (const auto& weak : watched) {
    if (const auto memory = weak.lock()) memory->header().answers.Ring();
  }
}

base::Status WorkerLife::AwaitLoss() {
  base::MutexLock lock(mutex_);
  while (!lost()) changed_.Wait(mutex_);
  return why_;
}

void WorkerLife::Watch(const std::shared_ptr<ChannelMemory>& memory) {
  base::MutexLock lock(mutex_);
  std::erase_if(watched_, [](const auto& weak) { return weak.expired(); });
  watched_.push_back(memory);
}

}  // namespace inferd::worker

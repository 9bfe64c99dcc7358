#include "worker/worker_life.h"

namespace inferd::worker {

base::Status WorkerLife::why() const {
  base::MutexLock lock(mutex_);
  return why_;
}

void WorkerLife::Kill(base::Status why) { Lose(std::move(why), true); }
void WorkerLife::End(base::Status why) { Lose(std::move(why), false); }

void WorkerLife::Lose(base::Status why, bool kill) {
  std::vector<std::shared_ptr<ChannelMemory>> watched;
  {
    base::MutexLock lock(mutex_);
    if (lost()) return;
    why_ = std::move(why);
    lost_.store(true, std::memory_order_release);
    watched.swap(watched_);
    if (kill) kill_();
  }
  for (const auto& memory : watched) memory->header().answers.Ring();
}

void WorkerLife::Watch(std::shared_ptr<ChannelMemory> memory) {
  base::MutexLock lock(mutex_);
  watched_.push_back(std::move(memory));
}

}  // namespace inferd::worker

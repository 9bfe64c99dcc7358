#include "serving/repository/demand/demand_queue.h"

#include <chrono>
#include <utility>

#include "base/thread_pool.h"
#include "serving/repository/demand/load_demands.h"

namespace inferd::repository {

namespace {

// The time for which a demand that was cancelled or has timed out may still wait.
constexpr auto kTick = std::chrono::milliseconds(50);

}  // namespace

void DemandQueue::Start() {
  thread_ = std::thread([this] { Run(); });
}

void DemandQueue::Push(core::LoadDemand demand) {
  {
    const base::MutexLock lock(mutex_);
    if (!closed_) {
      demands_.push_back(std::move(demand));
      arrived_.NotifyAll();
      return;
    }
  }
  demand.done({.status = ShuttingDown(), .model = nullptr, .retry_after_ms = 0});
}

void DemandQueue::Run() {
  base::SetThreadName("demand");
  bool some_wait = false;
  while (true) {
    std::vector<core::LoadDemand> arrived;
    {
      const base::MutexLock lock(mutex_);
      const auto until = std::chrono::steady_clock::now() + kTick;
      while (demands_.empty() && !closed_) {
        if (!some_wait) {
          arrived_.Wait(mutex_);
        } else if (arrived_.WaitUntil(mutex_, until) == std::cv_status::timeout) {
          break;
        }
      }
      if (demands_.empty() && closed_) return;
      arrived.swap(demands_);
    }
    some_wait = serve_(std::move(arrived));
  }
}

void DemandQueue::Close() {
  {
    const base::MutexLock lock(mutex_);
    closed_ = true;
    arrived_.NotifyAll();
  }
  if (thread_.joinable()) thread_.join();
}

}  // namespace inferd::repository

#pragma once

#include <functional>
#include <thread>
#include <vector>

#include "base/mutex.h"
#include "serving/core/request/load_demand.h"

namespace inferd::repository {

// Takes demands from loops without making them wait for the manager's lock, and serves them on a thread of its own.
// Thread-safe. Call Start() and then Close(), each once; or Close() alone.
class DemandQueue final {
 public:
  // Takes in new demands and answers the demands that have expired. Returns true if some still wait.
  using Serve = std::function<bool(std::vector<core::LoadDemand>)>;
  explicit DemandQueue(Serve serve) : serve_(std::move(serve)) {}
  DemandQueue(const DemandQueue&) = delete;
  DemandQueue& operator=(const DemandQueue&) = delete;

  // Starts the thread. Throws std::system_error if the system has no thread for it.
  void Start();
  // Queues the demand. Returns at once. After Close(), answers the demand on the calling thread.
  void Push(core::LoadDemand demand);
  // Closes the queue. Blocks until all queued demands are served.
  void Close();

 private:
  void Run();

  const Serve serve_;
  base::Mutex mutex_;  // never taken with another
  base::CondVar arrived_;
  std::vector<core::LoadDemand> demands_ GUARDED_BY(mutex_);
  bool closed_ GUARDED_BY(mutex_) = false;
  std::thread thread_;
};

}  // namespace inferd::repository

#pragma once

#include <functional>
#include <thread>
#include <vector>

#include "base/mutex.h"
#include "serving/core/request/load_demand.h"

namespace inferd::repository {

// Takes demands from loops without letting them wait for the manager's lock, and hands them to a thread of its own.
// Thread-safe; Start() and Close() are called once and in that order, or Close() alone.
class DemandQueue final {
 public:
  // Takes in what has come, and answers what waits no more. True: some wait.
  using Serve = std::function<bool(std::vector<core::LoadDemand>)>;
  explicit DemandQueue(Serve serve) : serve_(std::move(serve)) {}
  DemandQueue(const DemandQueue&) = delete;
  DemandQueue& operator=(const DemandQueue&) = delete;

  // Throws std::system_error where there is no thread for it.
  void Start();
  // Returns at once. When it is closed, the demand is answered here.
  void Push(core::LoadDemand demand);
  // What has come is served before this returns.
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

#pragma once

#include <chrono>
#include <string>
#include <string_view>
#include <thread>

#include "base/logging.h"
#include "base/mutex.h"

namespace inferd::server {

// A watchdog that ends the process if an action takes too long, for example if an engine is stuck in a call. It has a
// thread of its own, so that it cannot be blocked. If no thread can be created, a signal (SIGALRM) ends the process
// without a log line. Thread-safe.
class ExitWatch final {
 public:
  using Exit = void (*)();

  // `exit` must end the process. The logger must outlive this.
  ExitWatch(base::Logger& logger, Exit exit);
  ~ExitWatch();
  ExitWatch(const ExitWatch&) = delete;
  ExitWatch& operator=(const ExitWatch&) = delete;

  // Sets the time limit, replacing an earlier one. `why` is logged when it expires.
  void ExitAfter(std::chrono::milliseconds time, std::string_view why);

 private:
  void Run();

  base::Logger& logger_;
  const Exit exit_;
  base::Mutex mutex_;
  base::CondVar changed_;
  bool stopping_ GUARDED_BY(mutex_) = false;
  std::chrono::steady_clock::time_point at_ GUARDED_BY(mutex_) = std::chrono::steady_clock::time_point::max();
  std::string why_ GUARDED_BY(mutex_);
  std::thread thread_;  // not joinable if it could not be created
};

}  // namespace inferd::server

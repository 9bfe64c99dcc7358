#pragma once

#include <chrono>
#include <string>
#include <string_view>
#include <thread>

#include "base/logging.h"
#include "base/mutex.h"

namespace inferd::server {

// Ends the process when something takes too long that nothing else could end: an engine that is stuck in a call. Has a
// thread of its own, so that whatever is stuck does not hold it up; where the system gives none, a signal (SIGALRM)
// ends the process instead, without a word. Thread-safe.
class ExitWatch final {
 public:
  using Exit = void (*)();

  // `exit` ends the process. The logger outlives this.
  ExitWatch(base::Logger& logger, Exit exit);
  ~ExitWatch();
  ExitWatch(const ExitWatch&) = delete;
  ExitWatch& operator=(const ExitWatch&) = delete;

  // From now on that is the limit, in place of an earlier one; `why` is what the log says when it has passed.
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
  std::thread thread_;  // none: there was none to be had
};

}  // namespace inferd::server

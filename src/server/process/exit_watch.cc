#include "server/process/exit_watch.h"

#include <unistd.h>

#include <system_error>

namespace inferd::server {

ExitWatch::ExitWatch(base::Logger& logger, Exit exit) : logger_(logger), exit_(exit) {
  try {
    thread_ = std::thread([this] { Run(); });
  } catch (const std::system_error&) {
  }
}

ExitWatch::~ExitWatch() {
  {
    const base::MutexLock lock(mutex_);
    stopping_ = true;
    changed_.NotifyAll();
  }
  if (thread_.joinable()) {
    thread_.join();
  } else {
    alarm(0);
  }
}

void ExitWatch::ExitAfter(std::chrono::milliseconds time, std::string_view why) {
  if (!thread_.joinable()) {
    alarm(static_cast<unsigned>(std::chrono::ceil<std::chrono::seconds>(time).count()));
    return;
  }
  const base::MutexLock lock(mutex_);
  at_ = std::chrono::steady_clock::now() + time;
  why_ = why;
  changed_.NotifyAll();
}

void ExitWatch::Run() {
  base::MutexLock lock(mutex_);
  while (!stopping_) {
    if (at_ == std::chrono::steady_clock::time_point::max()) {
      changed_.Wait(mutex_);
    } else if (std::chrono::steady_clock::now() < at_) {
      changed_.WaitUntil(mutex_, at_);
    } else {
      logger_.Error(why_);
      exit_();
      return;
    }
  }
}

}  // namespace inferd::server

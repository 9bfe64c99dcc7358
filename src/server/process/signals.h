#pragma once

#include <chrono>
#include <csignal>

namespace inferd::server {

// The process's signals, received by one thread with Wait() instead of signal handlers. It must be created before any
// other thread, so that all inherit the mask: SIGTERM, SIGINT and SIGHUP are blocked, SIGPIPE is ignored.
class Signals final {
 public:
  Signals();
  Signals(const Signals&) = delete;
  Signals& operator=(const Signals&) = delete;

  // Blocks until one of the three signals arrives. Returns its number, or 0 after `timeout`.
  int Wait(std::chrono::milliseconds timeout);

  // Returns true if SIGTERM or SIGINT has arrived and Wait() has not returned it yet. Long operations should then give
  // up. Thread-safe.
  static bool EndIsPending();

  // Makes the next SIGTERM or SIGINT end the process at once, with status 1: an impatient operator's second signal.
  void ExitOnNext();

 private:
  sigset_t set_;
};

}  // namespace inferd::server

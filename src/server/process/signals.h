#pragma once

#include <chrono>
#include <csignal>

namespace inferd::server {

// The process's signals, taken by one thread with Wait() instead of by handlers. Make it before any other thread, so
// that all inherit the mask: SIGTERM, SIGINT and SIGHUP are blocked, SIGPIPE is ignored.
class Signals final {
 public:
  Signals();
  Signals(const Signals&) = delete;
  Signals& operator=(const Signals&) = delete;

  // Blocks until one of the three arrives and returns its number, or 0 when `timeout` has passed.
  int Wait(std::chrono::milliseconds timeout);

  // Whether SIGTERM or SIGINT has come and waits to be taken by Wait: what takes long before that may give up. Any
  // thread's.
  static bool EndIsPending();

  // From now on SIGTERM and SIGINT end the process at once, with status 1: the second signal of an impatient operator.
  void ExitOnNext();

 private:
  sigset_t set_;
};

}  // namespace inferd::server

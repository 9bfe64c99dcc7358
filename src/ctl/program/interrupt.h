#pragma once

#include <atomic>
#include <csignal>

namespace inferd::ctl {

// Catches SIGINT during its lifetime. The first SIGINT (Ctrl-C) is noted for WasInterrupted(); a second one ends the
// program. If SIGINT was ignored before, it stays ignored. One object at a time.
class InterruptCatcher final {
 public:
  InterruptCatcher();
  ~InterruptCatcher();
  InterruptCatcher(const InterruptCatcher&) = delete;
  InterruptCatcher& operator=(const InterruptCatcher&) = delete;

 private:
  struct sigaction before_{};
};

// The flag that is true if the last InterruptCatcher has caught a SIGINT. It lives as long as the program. Thread-safe.
const std::atomic<bool>& InterruptFlag();

// True if the flag is set.
inline bool WasInterrupted() { return InterruptFlag(); }

}  // namespace inferd::ctl

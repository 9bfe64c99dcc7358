#pragma once

#include <sys/types.h>

#include <vector>

namespace inferd::bench {

// Keeps every core that this process may use from sleeping, for as long as this lives: a process on each spins at the
// lowest priority (SCHED_IDLE) and gives way at once to whoever wants the core.
//
// A core that has slept is cold: its caches are somebody else's, and a virtual machine's core is given back to the
// host. With few connections that costs more than the request does, and differs from one minute to the next.
//
// Make it before any thread: it forks.
class AwakeCores final {
 public:
  // Not `wanted`: does nothing.
  explicit AwakeCores(bool wanted);
  ~AwakeCores();
  AwakeCores(const AwakeCores&) = delete;
  AwakeCores& operator=(const AwakeCores&) = delete;

 private:
  std::vector<pid_t> spinners_;
};

}  // namespace inferd::bench

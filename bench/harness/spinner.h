#pragma once

#include <sys/types.h>

#include <optional>

#include "base/system/cpu_cores.h"

namespace inferd::bench {

// A process that computes without memory accesses, for the lifetime of this object. Create it while no other thread
// runs.
class Spinner final {
 public:
  // `niceness` is added to this process's niceness. Without it, the process has the lowest priority (SCHED_IDLE), and
  // yields the core at once to any other thread.
  Spinner(const base::CpuCores& cores, std::optional<int> niceness);
  ~Spinner();
  Spinner(Spinner&& other) noexcept;
  Spinner(const Spinner&) = delete;
  Spinner& operator=(const Spinner&) = delete;

 private:
  pid_t pid_ = -1;
};

}  // namespace inferd::bench

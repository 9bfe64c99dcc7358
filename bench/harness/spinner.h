#pragma once

#include <sys/types.h>

#include <optional>

#include "base/system/cpu_cores.h"

namespace inferd::bench {

// A process that computes and touches no memory, for as long as this lives. To be made while no other thread runs.
class Spinner final {
 public:
  // `niceness` is added to what this process has; none: the lowest of all (SCHED_IDLE), which gives way at once to
  // any that wants the core.
  Spinner(const base::CpuCores& cores, std::optional<int> niceness);
  ~Spinner();
  Spinner(Spinner&& other) noexcept;
  Spinner(const Spinner&) = delete;
  Spinner& operator=(const Spinner&) = delete;

 private:
  pid_t pid_ = -1;
};

}  // namespace inferd::bench

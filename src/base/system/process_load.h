#pragma once

#include <cstdint>

#include "base/clock.h"
#include "base/mutex.h"

namespace inferd::base {

// What this process has used of its cores since it began, user and system.
int64_t ProcessCpuNs();

// How busy this process keeps the cores that it may use. Thread-safe.
class ProcessLoad final {
 public:
  explicit ProcessLoad(const Clock& clock);

  // From 0 to 1, over the last 100 ms or more. Calls that come sooner get what was measured last.
  double CpuUtilization();

 private:
  const Clock& clock_;
  const double cores_;
  Mutex mutex_;
  int64_t at_ns_ GUARDED_BY(mutex_);
  int64_t cpu_ns_ GUARDED_BY(mutex_);
  double utilization_ GUARDED_BY(mutex_) = 0;
};

}  // namespace inferd::base

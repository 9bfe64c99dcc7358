#pragma once

#include <cstdint>

#include "base/clock.h"
#include "base/mutex.h"

namespace inferd::base {

// Returns the CPU time that this process has used since it began, user and system.
int64_t ProcessCpuNs();

// The CPU utilization of this process, relative to the cores that it may use. Thread-safe.
class ProcessLoad final {
 public:
  explicit ProcessLoad(const Clock& clock);

  // Returns the utilization from 0 to 1 over the last 100 ms or more. Calls that come sooner return the last
  // measurement.
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

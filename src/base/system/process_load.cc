#include "base/system/process_load.h"

#include <algorithm>
#include <ctime>

#include "base/system/usable_cpus.h"

namespace inferd::base {

namespace {

constexpr int64_t kNsPerSecond = 1'000'000'000;
constexpr int64_t kPeriodNs = kNsPerSecond / 10;

}  // namespace

int64_t ProcessCpuNs() {
  timespec time{};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return time.tv_sec * kNsPerSecond + time.tv_nsec;
}

ProcessLoad::ProcessLoad(const Clock& clock)
    : clock_(clock), cores_(UsableCpus()), at_ns_(clock.NowNs()), cpu_ns_(ProcessCpuNs()) {}

double ProcessLoad::CpuUtilization() {
  const MutexLock lock(mutex_);
  const int64_t now_ns = clock_.NowNs();
  if (now_ns - at_ns_ < kPeriodNs) return utilization_;
  const int64_t cpu_ns = ProcessCpuNs();
  const double used = static_cast<double>(cpu_ns - cpu_ns_) / static_cast<double>(now_ns - at_ns_) / cores_;
  utilization_ = std::clamp(used, 0.0, 1.0);
  at_ns_ = now_ns;
  cpu_ns_ = cpu_ns;
  return utilization_;
}

}  // namespace inferd::base

#include "serving/scheduling/thread_usage.h"

#include <sys/resource.h>
#include <time.h>

#include <algorithm>

namespace inferd::scheduling {

// The CPU times from getrusage() are only updated at the kernel's ticks, so code that runs at a tick would be charged
// for everything since the previous tick. Hence clock_gettime().
ThreadUsage ThreadUsage::Now() {
  timespec cpu{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &cpu);
  rusage usage{};
  ::getrusage(RUSAGE_THREAD, &usage);
  return {.cpu_ns = int64_t{cpu.tv_sec} * 1'000'000'000 + cpu.tv_nsec, .waits = usage.ru_nvcsw};
}

int64_t BlamedNs(int64_t elapsed_ns, const ThreadUsage& before, const ThreadUsage& after) {
  if (after.waits != before.waits) return elapsed_ns;
  return std::min(elapsed_ns, after.cpu_ns - before.cpu_ns);
}

}  // namespace inferd::scheduling

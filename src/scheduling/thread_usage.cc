#include "scheduling/thread_usage.h"

#include <sys/resource.h>

#include <algorithm>

namespace inferd::scheduling {

namespace {

int64_t Nanoseconds(const timeval& time) {
  return int64_t{time.tv_sec} * 1'000'000'000 + int64_t{time.tv_usec} * 1'000;
}

}  // namespace

ThreadUsage ThreadUsage::Now() {
  rusage usage{};
  ::getrusage(RUSAGE_THREAD, &usage);
  return {.cpu_ns = Nanoseconds(usage.ru_utime) + Nanoseconds(usage.ru_stime), .waits = usage.ru_nvcsw};
}

int64_t BlamedNs(int64_t elapsed_ns, const ThreadUsage& before, const ThreadUsage& after) {
  if (after.waits != before.waits) return elapsed_ns;
  return std::min(elapsed_ns, after.cpu_ns - before.cpu_ns);
}

}  // namespace inferd::scheduling

#pragma once

#include <time.h>

#include <cstdint>

namespace inferd::bench {

inline double CpuUs(clockid_t clock) {
  timespec now;
  clock_gettime(clock, &now);
  return static_cast<double>(now.tv_sec) * 1e6 + static_cast<double>(now.tv_nsec) / 1e3;
}

// Returns CPU microseconds per call, as the mean over one second of CPU time. A mean, because it is compared with a
// server's CPU per request, which is also a mean, on the same machine with the same neighbours.
template <typename Call>
double CpuOfCall(Call call) {
  constexpr double kUs = 1'000'000;
  const double start = CpuUs(CLOCK_PROCESS_CPUTIME_ID);
  double used = 0;
  int64_t calls = 0;
  while (used < kUs) {
    for (int i = 0; i < 64; ++i) call();
    calls += 64;
    used = CpuUs(CLOCK_PROCESS_CPUTIME_ID) - start;
  }
  return used / static_cast<double>(calls);
}

// Returns the same for one call every 100 us, the rate of a single client. The core sleeps between calls, so a call is
// slower than in a loop.
template <typename Call>
double CpuOfLoneCall(Call call) {
  constexpr timespec kPause = {.tv_sec = 0, .tv_nsec = 100'000};
  constexpr int kCalls = 2500;
  double used = 0;
  for (int i = 0; i < kCalls; ++i) {
    nanosleep(&kPause, nullptr);
    const double start = CpuUs(CLOCK_THREAD_CPUTIME_ID);
    call();
    used += CpuUs(CLOCK_THREAD_CPUTIME_ID) - start;
  }
  return used / kCalls;
}

}  // namespace inferd::bench

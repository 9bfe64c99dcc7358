#pragma once

#include <time.h>

#include <algorithm>

namespace inferd::bench {

inline double CpuUs(clockid_t clock) {
  timespec now;
  clock_gettime(clock, &now);
  return static_cast<double>(now.tv_sec) * 1e6 + static_cast<double>(now.tv_nsec) / 1e3;
}

// CPU microseconds per call: the best of several rounds, since others use the machine too.
template <typename Call>
double CpuOfCall(Call call) {
  constexpr double kRoundUs = 100'000;
  double best = 1e12;
  for (int round = 0; round < 10; ++round) {
    const double start = CpuUs(CLOCK_PROCESS_CPUTIME_ID);
    double used = 0;
    int calls = 0;
    while (used < kRoundUs) {
      for (int i = 0; i < 64; ++i) call();
      calls += 64;
      used = CpuUs(CLOCK_PROCESS_CPUTIME_ID) - start;
    }
    best = std::min(best, used / calls);
  }
  return best;
}

// The same for a call that comes alone every 100 us, as those of a single client do: its core has slept meanwhile, and
// is slower than in a loop.
template <typename Call>
double CpuOfLoneCall(Call call) {
  constexpr timespec kPause = {.tv_sec = 0, .tv_nsec = 100'000};
  constexpr int kCalls = 500;
  double best = 1e12;
  for (int round = 0; round < 5; ++round) {
    double used = 0;
    for (int i = 0; i < kCalls; ++i) {
      nanosleep(&kPause, nullptr);
      const double start = CpuUs(CLOCK_THREAD_CPUTIME_ID);
      call();
      used += CpuUs(CLOCK_THREAD_CPUTIME_ID) - start;
    }
    best = std::min(best, used / kCalls);
  }
  return best;
}

}  // namespace inferd::bench

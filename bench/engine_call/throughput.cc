#include "bench/engine_call/throughput.h"

#include <time.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <thread>
#include <vector>

#include "bench/engine_call/bare_session.h"

namespace inferd::bench {

namespace {

double CpuSeconds() {
  timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) / 1e9;
}

double WallSeconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

struct Rate {
  double rows_per_s = 0;
  double cpu_us_per_row = 0;
};

Rate Measure(const BareSession& session, unsigned callers, int64_t rows, double seconds) {
  std::atomic<bool> stop{false};
  std::atomic<int64_t> calls{0};
  std::vector<std::thread> threads;
  const double cpu = CpuSeconds(), wall = WallSeconds();
  for (unsigned i = 0; i < callers; ++i) {
    threads.emplace_back([&] {
      BareSession::Caller caller(session, rows);
      int64_t count = 0;
      for (; !stop.load(std::memory_order_relaxed); ++count) caller.Call(rows);
      calls += count;
    });
  }
  std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
  stop = true;
  for (std::thread& thread : threads) thread.join();
  const double all_rows = static_cast<double>(calls * rows);
  return {all_rows / (WallSeconds() - wall), (CpuSeconds() - cpu) * 1e6 / std::max(all_rows, 1.0)};
}

}  // namespace

void PrintThroughput(const OrtApi& ort, OrtEnv* env, const std::string& file, const Case& what, double seconds) {
  struct Way {
    unsigned callers;
    int threads;
  };
  const unsigned cores = std::max(std::thread::hardware_concurrency(), 1u);
  std::vector<Way> ways = {{1, 1}};
  if (cores > 1) ways.insert(ways.end(), {{1, 2}, {cores, 1}});
  for (const Way& way : ways) {
    const BareSession session(ort, env, file, what, way.threads);
    for (int64_t rows = 1; rows <= 64; rows *= 2) {
      // Takes the better of two runs, since other programs use the machine, too.
      Rate best;
      for (int round = 0; round < 2; ++round) {
        const Rate rate = Measure(session, way.callers, rows, seconds / 2);
        if (rate.rows_per_s > best.rows_per_s) best = rate;
      }
      std::printf("rows %s callers=%u threads=%d batch=%lld rows_per_s=%.1f cpu_us_per_row=%.3f\n", what.model.c_str(),
                  way.callers, way.threads, static_cast<long long>(rows), best.rows_per_s, best.cpu_us_per_row);
      std::fflush(stdout);
    }
  }
}

}  // namespace inferd::bench

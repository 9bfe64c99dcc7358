// Measures one wake of the deadline watch, where one model of many has a request that is due.

#include <benchmark/benchmark.h>

#include <vector>

#include "serving/scheduling/queue/deadline_watch.h"

namespace inferd::scheduling {
namespace {

void BM_OneIsDue(benchmark::State& state) {
  base::FakeClock clock;
  DeadlineWatch watch(clock, false);
  std::vector<DeadlineWatch::Id> ids;
  for (int64_t i = 0; i < state.range(0); ++i) {
    ids.push_back(watch.Add([] { return int64_t{0}; }));
    watch.Arm(ids.back(), clock.NowNs() + int64_t{3600} * 1'000'000'000);
  }
  const DeadlineWatch::Id due = watch.Add([] { return int64_t{0}; });
  for (auto _ : state) {
    watch.Arm(due, clock.NowNs());
    watch.RunDue();
  }
}
BENCHMARK(BM_OneIsDue)->Arg(1)->Arg(1000)->Arg(20'000);

}  // namespace
}  // namespace inferd::scheduling

#include <benchmark/benchmark.h>

#include "serving/scheduling/resources/resource_arbiter.h"

// The cost of an execution's claim.

namespace inferd::scheduling {
namespace {

constexpr int64_t kServiceNs = 10'000;

// Nothing is limited: the cost that every execution has.
void BM_ClaimOfNothing(benchmark::State& state) {
  ResourceArbiter arbiter;
  const auto claim = *arbiter.Register({.owner = "m", .cpu_threads = 1});
  for (auto _ : state) {
    benchmark::DoNotOptimize(claim->free() || claim->TryAcquire());
  }
}
BENCHMARK(BM_ClaimOfNothing);

// Compute threads are limited, and there are enough.
void BM_ClaimWhileNobodyWaits(benchmark::State& state) {
  static ResourceArbiter arbiter({}, 64);
  const auto claim = *arbiter.Register({.owner = "m", .cpu_threads = 1});
  for (auto _ : state) {
    benchmark::DoNotOptimize(claim->TryAcquire());
    claim->Release(kServiceNs);
  }
}
BENCHMARK(BM_ClaimWhileNobodyWaits)->Threads(1)->Threads(2);

void BM_RenewWhileNobodyWaits(benchmark::State& state) {
  ResourceArbiter arbiter({}, 2);
  const auto claim = *arbiter.Register({.owner = "m", .cpu_threads = 1});
  benchmark::DoNotOptimize(claim->Acquire());
  for (auto _ : state) benchmark::DoNotOptimize(claim->Renew(kServiceNs));
  claim->Release(kServiceNs);
}
BENCHMARK(BM_RenewWhileNobodyWaits);

// One thread for all: each turn belongs to another thread.
void BM_ClaimsTakeTurns(benchmark::State& state) {
  static ResourceArbiter arbiter({}, 1);
  const auto claim = *arbiter.Register({.owner = std::to_string(state.thread_index()), .cpu_threads = 1});
  for (auto _ : state) {
    benchmark::DoNotOptimize(claim->Acquire());
    claim->Release(kServiceNs);
  }
}
BENCHMARK(BM_ClaimsTakeTurns)->Threads(2)->Threads(8)->UseRealTime();

}  // namespace
}  // namespace inferd::scheduling

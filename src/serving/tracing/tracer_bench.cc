// The cost of tracing for a request, which is usually not traced.
#include <benchmark/benchmark.h>

#include "serving/tracing/tracer.h"

namespace inferd::tracing {
namespace {

class NullExporter final : public TraceExporter {
 public:
  bool Export(std::vector<TraceRecord>) override { return true; }
};

// Records the steps of a request to a small model.
void Pass(core::RequestTrace& trace, int64_t now_ns) {
  for (int step = 0; step < 8; ++step) trace.Add(core::TraceActivity::kComputeStart, now_ns + step);
  trace.AddNow(core::TraceActivity::kHttpSendStart);
  trace.AddNow(core::TraceActivity::kHttpSendEnd);
}

void BM_Request(benchmark::State& state) {
  const auto rate = static_cast<uint32_t>(state.range(0));
  const base::SystemClock clock;
  metrics::Registry registry;
  const config::TraceOptions options{
      .level = rate == 0 ? config::TraceLevel::kOff : config::TraceLevel::kTimestamps, .rate = rate, .file = "x"};
  Tracer tracer(options, clock, std::make_unique<NullExporter>(), CountersIn(registry));
  for (auto _ : state) {
    const auto trace = tracer.Begin({.model = "simple", .version = "1", .request_id = "42", .traceparent = ""});
    if (trace != nullptr) Pass(*trace, 0);
    benchmark::DoNotOptimize(trace);
  }
}
// 0 is off; 1 traces every request.
BENCHMARK(BM_Request)->Arg(0)->Arg(1000)->Arg(1)->ArgName("rate");

// A model has settings of its own, so that every request looks them up.
void BM_RequestBesideAModelWithItsOwn(benchmark::State& state) {
  const base::SystemClock clock;
  metrics::Registry registry;
  const config::TraceOptions options{.level = config::TraceLevel::kTimestamps, .rate = 1000, .file = "x"};
  Tracer tracer(options, clock, std::make_unique<NullExporter>(), CountersIn(registry));
  benchmark::DoNotOptimize(tracer.Change("other", {{"trace_rate", std::vector<std::string>{"10"}}}).ok());
  for (auto _ : state) {
    const auto trace = tracer.Begin({.model = "simple", .version = "1", .request_id = "42", .traceparent = ""});
    if (trace != nullptr) Pass(*trace, 0);
    benchmark::DoNotOptimize(trace);
  }
}
BENCHMARK(BM_RequestBesideAModelWithItsOwn);

}  // namespace
}  // namespace inferd::tracing

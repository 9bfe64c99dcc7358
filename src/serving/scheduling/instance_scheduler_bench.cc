#include <benchmark/benchmark.h>

#include "serving/core/local_dispatcher.h"
#include "tests/support/scheduling_fixture.h"

// The cost of the way from a decoded request to the engine and back, with an engine that does almost nothing.

namespace inferd::scheduling {
namespace {

constexpr int kTensors = 2;

support::FakeEngine::Script AddSub() {
  support::FakeEngine::Script script;
  script.signature.inputs.clear();
  script.signature.outputs.clear();
  script.signature.max_batch_size = 8;
  for (int i = 0; i < kTensors; ++i) {
    script.signature.inputs.push_back(
        {.name = "INPUT" + std::to_string(i), .datatype = tensor::DataType::kInt32, .shape = {-1, 16}});
    script.signature.outputs.push_back(
        {.name = "OUTPUT" + std::to_string(i), .datatype = tensor::DataType::kInt32, .shape = {-1, 16}});
  }
  return script;
}

std::unique_ptr<core::InferRequest> Request(const base::Buffer& body) {
  auto request = std::make_unique<core::InferRequest>();
  request->model_name = "m";
  for (int i = 0; i < kTensors; ++i) {
    core::InferTensor& input = request->inputs.emplace_back();
    input.name = i == 0 ? "INPUT0" : "INPUT1";
    input.datatype = tensor::DataType::kInt32;
    input.shape = {1, 16};
    input.data = base::BufferSlice(body);
  }
  return request;
}

// Measures from Dispatcher::Infer to the response, for which the client waits before its next request. Both variants
// differ only in the executing thread: the difference is what inline execution saves.
void Infer(benchmark::State& state, const SchedulerOptions& options) {
  base::SystemClock clock;
  SchedulingFixture fixture(clock);
  const auto version = fixture.MakeVersion(AddSub(), options);
  std::map<std::string, core::CatalogSnapshot::Model> models;
  models["m"].versions.push_back({.version = 1, .serving = version, .state = core::ModelState::kReady, .reason = ""});
  core::SnapshotPublisher publisher;
  publisher.Publish(std::make_shared<const core::CatalogSnapshot>(models));
  core::InflightLimit inflight{{}};
  core::LocalDispatcher dispatcher(publisher, inflight, clock);
  const base::Buffer body = base::Buffer::Allocate(64);
  std::atomic<uint64_t> answers{0};
  const auto infer = [&] {
    const uint64_t before = answers.load();
    dispatcher.Infer(nullptr, Request(body), core::Completion([&answers](core::InferResponse) {
                       ++answers;
                       answers.notify_one();
                     }));
    answers.wait(before);
  };
  for (int i = 0; i < 100; ++i) infer();  // until it counts as quick
  SchedulingFixture::AwaitIdle(*version);
  const uint64_t inline_before = version->statistics().inline_executions();
  for (auto _ : state) infer();
  SchedulingFixture::AwaitIdle(*version);  // until its callback has ended
  state.counters["inline"] =
      benchmark::Counter(static_cast<double>(version->statistics().inline_executions() - inline_before),
                         benchmark::Counter::kAvgIterations);
}

void BM_InferInline(benchmark::State& state) { Infer(state, {}); }
BENCHMARK(BM_InferInline)->MeasureProcessCPUTime()->UseRealTime();

// Runs on the instance's thread.
void BM_InferHandedOver(benchmark::State& state) { Infer(state, {.inline_service_ns_max = 0}); }
BENCHMARK(BM_InferHandedOver)->MeasureProcessCPUTime()->UseRealTime();

// The cost of building the request and an engine's response.
void BM_RequestAlone(benchmark::State& state) {
  const base::Buffer body = base::Buffer::Allocate(64);
  for (auto _ : state) {
    auto request = Request(body);
    benchmark::DoNotOptimize(request);
  }
}
BENCHMARK(BM_RequestAlone);

}  // namespace
}  // namespace inferd::scheduling

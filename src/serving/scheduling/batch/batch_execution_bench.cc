#include <benchmark/benchmark.h>

#include <cstdlib>
#include <new>

#include "serving/scheduling/batch/batch_fixture.h"

// The cost of laying out and answering an execution, with an engine that does nothing, and its number of allocations.

namespace {
// Per thread: cheap enough not to affect the program's other benchmarks.
thread_local uint64_t allocations = 0;
}  // namespace

// NOLINTBEGIN(misc-new-delete-overloads)
void* operator new(size_t size) {
  ++allocations;
  if (void* memory = std::malloc(size)) return memory;
  throw std::bad_alloc();
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, size_t) noexcept { std::free(memory); }
// NOLINTEND(misc-new-delete-overloads)

namespace inferd::scheduling {
namespace {

core::ModelSignature Signature() {
  core::ModelSignature signature = BatchFixture::DefaultSignature();
  signature.outputs.resize(1);
  return signature;
}

// Fills `entries` with one-row requests, copied from `prototype`.
void FillIn(std::vector<std::unique_ptr<QueueEntry>>& entries, const core::InferRequest& prototype,
            core::InferResponse& answer) {
  for (auto& entry : entries) {
    entry->queued.request = std::make_unique<core::InferRequest>(prototype);
    entry->queued.layout.inputs.assign(1, 0);
    entry->queued.layout.outputs.assign(1, 0);
    entry->queued.completion = core::Completion([&answer](core::InferResponse r) { answer = std::move(r); });
  }
}

// Subtract this from BM_Execute.
void BM_RequestsAlone(benchmark::State& state) {
  BatchFixture fixture(Signature());
  std::vector<std::unique_ptr<QueueEntry>> entries;
  for (int64_t i = 0; i < state.range(0); ++i) entries.push_back(fixture.Request(1, {1, 2, 3, 4}));
  const core::InferRequest prototype = *entries[0]->queued.request;
  core::InferResponse answer;
  for (auto& entry : entries) entry->queued.Fail(base::OkStatus());
  for (auto _ : state) {
    FillIn(entries, prototype, answer);
    for (auto& entry : entries) entry->queued.completion.Send({});
  }
  state.SetItemsProcessed(static_cast<int64_t>(state.iterations()) * state.range(0));
}
BENCHMARK(BM_RequestsAlone)->Arg(1)->Arg(16);

void BM_Execute(benchmark::State& state) {
  BatchFixture fixture(Signature());
  BatchExecution execution(fixture.context);
  BatchExecution::Remains remains;
  for (int64_t i = 0; i < state.range(0); ++i) remains.entries.push_back(fixture.Request(1, {1, 2, 3, 4}));
  const core::InferRequest prototype = *remains.entries[0]->queued.request;
  for (auto& entry : remains.entries) entry->queued.Fail(base::OkStatus());
  const base::BufferSlice whole = support::SliceOf(std::vector<int32_t>(static_cast<size_t>(state.range(0)) * 4));
  core::InferResponse answer;
  uint64_t allocated = 0;
  for (auto _ : state) {
    FillIn(remains.entries, prototype, answer);
    std::vector<core::InferTensor> outputs(1);
    outputs[0].shape = {state.range(0), 4};
    outputs[0].data = whole;
    const uint64_t before = allocations;
    for (auto& entry : remains.entries) execution.Add(std::move(entry));
    remains.entries.clear();
    if (!execution.Begin(1)) std::abort();
    execution.RespondAll({base::OkStatus(), std::move(outputs)});
    execution.Finish();
    if (!execution.Finished()) std::abort();
    execution.Clear(remains);
    allocated += allocations - before;
  }
  state.counters["allocations"] = static_cast<double>(allocated) / static_cast<double>(state.iterations());
  state.SetItemsProcessed(static_cast<int64_t>(state.iterations()) * state.range(0));
}
BENCHMARK(BM_Execute)->Arg(1)->Arg(16);

}  // namespace
}  // namespace inferd::scheduling

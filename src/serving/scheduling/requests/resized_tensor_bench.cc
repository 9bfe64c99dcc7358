#include <benchmark/benchmark.h>

#include <cstring>

#include "data/tensor/raw.h"
#include "serving/scheduling/requests/request_splitter.h"
#include "serving/scheduling/requests/resized_tensor.h"

namespace inferd::scheduling {
namespace {

using tensor::DataType;
using tensor::Shape;

base::BufferSlice Zeros(size_t bytes) {
  base::Buffer buffer = base::Buffer::Allocate(bytes);
  std::memset(buffer.data(), 0, bytes);
  return base::BufferSlice(std::move(buffer));
}

// Token ids of a batch, their embeddings, and many short runs.
const std::pair<Shape, Shape> kShapes[] = {
    {{8, 100}, {8, 128}}, {{8, 100, 768}, {8, 128, 768}}, {{1024, 7}, {1024, 8}}};

void BM_Pad(benchmark::State& state) {
  const auto& [from, to] = kShapes[state.range(0)];
  const base::BufferSlice data = Zeros(*tensor::ByteSize(DataType::kFp32, from));
  const uint64_t element = *ElementOf(DataType::kFp32, state.range(1));
  for (auto _ : state) benchmark::DoNotOptimize(Padded(DataType::kFp32, data, from, to, element));
  state.SetBytesProcessed(state.iterations() * static_cast<int64_t>(*tensor::ByteSize(DataType::kFp32, to)));
}
BENCHMARK(BM_Pad)->ArgsProduct({{0, 1, 2}, {0, 1}});

void BM_Crop(benchmark::State& state) {
  const auto& [to, from] = kShapes[state.range(0)];
  const base::BufferSlice data = Zeros(*tensor::ByteSize(DataType::kFp32, from));
  for (auto _ : state) benchmark::DoNotOptimize(Cropped(DataType::kFp32, data, from, to));
  state.SetBytesProcessed(state.iterations() * static_cast<int64_t>(*tensor::ByteSize(DataType::kFp32, to)));
}
BENCHMARK(BM_Crop)->DenseRange(0, 2);

// The baseline of both: one copy of the larger size.
void BM_Copy(benchmark::State& state) {
  const size_t bytes = *tensor::ByteSize(DataType::kFp32, kShapes[state.range(0)].second);
  const base::BufferSlice data = Zeros(bytes);
  for (auto _ : state) {
    base::Buffer copy = base::Buffer::Allocate(bytes);
    std::memcpy(copy.data(), data.data(), bytes);
    benchmark::DoNotOptimize(copy);
  }
  state.SetBytesProcessed(state.iterations() * static_cast<int64_t>(bytes));
}
BENCHMARK(BM_Copy)->DenseRange(0, 2);

// Splits a request with 784 floats per row into parts of 8 rows. They come back unchanged and are joined.
void BM_SplitAndJoin(benchmark::State& state) {
  const int64_t rows = state.range(0);
  const base::BufferSlice data = Zeros(static_cast<size_t>(rows) * 784 * 4);
  for (auto _ : state) {
    core::QueuedRequest queued;
    queued.request = std::make_unique<core::InferRequest>();
    queued.request->inputs.push_back(
        {.name = "x", .datatype = DataType::kFp32, .shape = {rows, 784}, .data = data, .parameters = {}});
    queued.layout.rows = rows;
    queued.completion = core::Completion([](core::InferResponse response) { benchmark::DoNotOptimize(response); });
    SplitRequest(std::move(queued), 8, [](core::QueuedRequest part) {
      core::InferResponse response;
      response.outputs.assign(part.request->inputs.begin(), part.request->inputs.end());
      part.Answer(std::move(response));
    });
  }
  state.SetItemsProcessed(state.iterations() * (rows / 8));
}
BENCHMARK(BM_SplitAndJoin)->Arg(16)->Arg(64)->Arg(512);

}  // namespace
}  // namespace inferd::scheduling

#include <benchmark/benchmark.h>

#include <cstdlib>
#include <cstring>
#include <string>

#include "oip/grpc_service.pb.h"
#include "protocols/oip_grpc/codec/infer_request_reader.h"
#include "protocols/oip_grpc/codec/infer_response_writer.h"

// Measures the codec per request, without the transport and the engine, in comparison with the generated classes. The
// `simple` model: two INT32 inputs and two outputs of [1,16]; and one tensor of 1 MB.

extern "C" void* __libc_malloc(size_t size);                      // NOLINT: glibc's names
extern "C" void* __libc_memalign(size_t alignment, size_t size);  // NOLINT

namespace {
int64_t allocations = 0;
}  // namespace

extern "C" __attribute__((visibility("default"))) void* malloc(size_t size) noexcept {
  ++allocations;
  return __libc_malloc(size);
}
extern "C" __attribute__((visibility("default"))) void* aligned_alloc(size_t alignment, size_t size) noexcept {
  ++allocations;
  return __libc_memalign(alignment, size);
}

namespace inferd::oip_grpc {
namespace {

using inference::ModelInferRequest;

constexpr int kMegabyte = 1 << 20;

ModelInferRequest Simple(bool raw) {
  ModelInferRequest message;
  message.set_model_name("simple");
  message.set_id("1");
  for (const char* name : {"INPUT0", "INPUT1"}) {
    auto* input = message.add_inputs();
    input->set_name(name);
    input->set_datatype("INT32");
    input->add_shape(1);
    input->add_shape(16);
    if (raw) message.add_raw_input_contents(std::string(64, '\1'));
    for (int i = 0; !raw && i < 16; ++i) input->mutable_contents()->add_int_contents(i * 37);
  }
  for (const char* name : {"OUTPUT0", "OUTPUT1"}) message.add_outputs()->set_name(name);
  return message;
}

ModelInferRequest Megabyte(const char* datatype) {
  ModelInferRequest message;
  message.set_model_name("m");
  auto* input = message.add_inputs();
  input->set_name("x");
  input->set_datatype(datatype);
  input->add_shape(kMegabyte / 4);
  return message;
}

ModelInferRequest RawMegabyte() {
  ModelInferRequest message = Megabyte("FP32");
  message.add_raw_input_contents(std::string(kMegabyte, '\1'));
  return message;
}

ModelInferRequest Floats() {
  ModelInferRequest message = Megabyte("FP32");
  for (int i = 0; i < kMegabyte / 4; ++i)
    message.mutable_inputs(0)->mutable_contents()->add_fp32_contents(1.0f / (i + 1));
  return message;
}

ModelInferRequest Integers(int step) {
  ModelInferRequest message = Megabyte("INT32");
  for (int i = 0; i < kMegabyte / 4; ++i) {
    message.mutable_inputs(0)->mutable_contents()->add_int_contents((i * step) % 1000000);
  }
  return message;
}

void Count(benchmark::State& state, int64_t before, size_t bytes) {
  state.counters["allocations"] = static_cast<double>(allocations - before) / static_cast<double>(state.iterations());
  state.SetBytesProcessed(state.iterations() * static_cast<int64_t>(bytes));
}

void Read(benchmark::State& state, const ModelInferRequest& message) {
  const base::BufferSlice bytes(base::Buffer::CopyOf(message.SerializeAsString()));
  const int64_t before = allocations;
  for (auto _ : state) {
    auto decoded = ReadInferRequest(bytes);
    if (!decoded.has_value()) state.SkipWithError(decoded.error().ToString().c_str());
    benchmark::DoNotOptimize(decoded);
  }
  Count(state, before, bytes.size());
}

void Generated(benchmark::State& state, const ModelInferRequest& message) {
  const std::string bytes = message.SerializeAsString();
  const int64_t before = allocations;
  for (auto _ : state) {
    ModelInferRequest parsed;
    benchmark::DoNotOptimize(parsed.ParseFromString(bytes));
  }
  Count(state, before, bytes.size());
}

BENCHMARK_CAPTURE(Read, simple_raw, Simple(true));
BENCHMARK_CAPTURE(Read, simple_typed, Simple(false));
BENCHMARK_CAPTURE(Read, raw_1mb, RawMegabyte());
BENCHMARK_CAPTURE(Read, typed_1mb_fp32, Floats());
BENCHMARK_CAPTURE(Read, typed_1mb_int32, Integers(7919));
BENCHMARK_CAPTURE(Read, typed_1mb_int32_small, Integers(0));
BENCHMARK_CAPTURE(Generated, simple_raw, Simple(true));
BENCHMARK_CAPTURE(Generated, raw_1mb, RawMegabyte());
BENCHMARK_CAPTURE(Generated, typed_1mb_fp32, Floats());
BENCHMARK_CAPTURE(Generated, typed_1mb_int32, Integers(7919));

// Returns the inputs of `message` as outputs.
core::InferResponse Echo(const ModelInferRequest& message) {
  auto decoded = ReadInferRequest(base::BufferSlice(base::Buffer::CopyOf(message.SerializeAsString())));
  core::InferResponse response;
  response.model_name = "simple";
  response.model_version = "1";
  response.id = "1";
  for (core::InferTensor& input : decoded->request->inputs) response.outputs.push_back(std::move(input));
  return response;
}

// The copy of the response for each round is part of the time and of the allocations.
void Write(benchmark::State& state, const ModelInferRequest& message, Contents contents) {
  const core::InferResponse response = Echo(message);
  const int64_t before = allocations;
  size_t bytes = 0;
  for (auto _ : state) {
    auto written = WriteInferResponse(response, contents);
    if (!written.has_value()) state.SkipWithError(written.error().ToString().c_str());
    bytes = 0;
    for (const auto& piece : *written) bytes += piece.size();
  }
  Count(state, before, bytes);
}

void CopyResponse(benchmark::State& state, const ModelInferRequest& message) {
  const core::InferResponse response = Echo(message);
  const int64_t before = allocations;
  for (auto _ : state) {
    core::InferResponse copy = response;
    benchmark::DoNotOptimize(copy);
  }
  Count(state, before, 0);
}

BENCHMARK_CAPTURE(CopyResponse, simple, Simple(true));
BENCHMARK_CAPTURE(Write, simple_raw, Simple(true), Contents::kRaw);
BENCHMARK_CAPTURE(Write, simple_typed, Simple(true), Contents::kTyped);
BENCHMARK_CAPTURE(Write, raw_1mb, RawMegabyte(), Contents::kRaw);
BENCHMARK_CAPTURE(Write, typed_1mb_fp32, Floats(), Contents::kTyped);
BENCHMARK_CAPTURE(Write, typed_1mb_int32, Integers(7919), Contents::kTyped);

}  // namespace
}  // namespace inferd::oip_grpc

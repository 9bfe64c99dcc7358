// Measures the host's overhead over the engine: one request with one aligned input, answered into the host's memory.

#include <benchmark/benchmark.h>

#include "serving/enginehost/plugin_model.h"
#include "tests/support/recording_execution.h"
#include "tests/support/stub_engine.h"

namespace inferd::enginehost {
namespace {

class NullExecution final : public core::Execution {
 public:
  const core::InferRequest& request(size_t) const override { return request_; }
  bool IsCancelled(size_t) const override { return false; }
  base::Buffer AllocateOutput(int, size_t bytes, base::MemoryPlace) override { return base::Buffer::Allocate(bytes); }
  void MarkInputsReady() override {}
  void MarkInferDone() override {}
  void Respond(size_t, core::EngineResponse response) override { benchmark::DoNotOptimize(response.outputs.data()); }
  void RespondAll(core::EngineResponse) override {}
  void Finish() override {}

 private:
  core::InferRequest request_;
};

void BM_Execute(benchmark::State& state) {
  support::StubEngine engine;
  const int64_t any[] = {-1};
  inferd_tensor_spec spec = {};
  spec.name = {"x", 1};
  spec.datatype = INFERD_TYPE_FP32;
  spec.shape = any;
  spec.rank = 1;
  spec.alignment = 4;
  engine.Add(spec, &engine.inputs);
  engine.Add(spec, &engine.outputs);
  engine.execute = [&engine](const inferd_batch& batch, inferd_error*) {
    const inferd_input& input = *batch.inputs[0];
    inferd_output output = {};
    output.struct_size = sizeof(output);
    output.datatype = INFERD_TYPE_FP32;
    output.shape = input.shape;
    output.rank = input.rank;
    output.memory = {engine.host.allocate_output(&batch, 0, 64), 64, INFERD_MEMORY_CPU, 0};
    const inferd_output* list[] = {&output};
    inferd_response response = {};
    response.struct_size = sizeof(response);
    response.outputs = list;
    response.output_count = 1;
    response.final = 1;
    engine.host.respond(&batch, INFERD_ALL_REQUESTS, &response);
    return INFERD_FINISHED;
  };
  auto model = engine.Take();
  PluginInstance instance(*model, {});
  NullExecution execution;
  execution.rows = {1};
  execution.outputs = {0};
  core::ExecutionInput input;
  input.datatype = tensor::DataType::kFp32;
  input.shape = {16};
  input.pieces.push_back(support::SliceOf(std::vector<float>(16)));
  execution.inputs.push_back(std::move(input));
  for (auto _ : state) instance.Execute(execution);
}
BENCHMARK(BM_Execute);

}  // namespace
}  // namespace inferd::enginehost

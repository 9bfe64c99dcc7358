// engine_call ENGINE.so MODEL_REPOSITORY: measures the cost of one call of an ONNX model, in microseconds of CPU. Calls
// the engine library as the server does, and ONNX Runtime's C API alone. The second cost is the floor that the server's
// own cost is compared with.
//
// engine_call ENGINE.so MODEL_REPOSITORY MODEL: measures only the second cost, of one model.
//
// engine_call ENGINE.so MODEL_REPOSITORY MODEL SECONDS: measures how many rows per second the bare library reaches with
// batches of 1 to 64 (throughput.h), each for SECONDS.

#include <onnxruntime_c_api.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "bench/engine_call/bare_session.h"
#include "bench/engine_call/cases.h"
#include "bench/engine_call/cpu_cost.h"
#include "bench/engine_call/require.h"
#include "bench/engine_call/throughput.h"
#include "serving/enginehost/plugin_engine.h"

namespace {

using namespace inferd;  // NOLINT(google-build-using-namespace): a program
using bench::Case;
using bench::Cases;
using bench::CpuOfCall;
using bench::CpuOfLoneCall;
using bench::Require;

// The minimum that a scheduler must do around a call.
class OneRequest final : public core::Execution {
 public:
  const core::InferRequest& request(size_t) const override { return request_; }
  bool IsCancelled(size_t) const override { return false; }
  base::Buffer AllocateOutput(int, size_t bytes, base::MemoryPlace) override { return base::Buffer::Allocate(bytes); }
  void MarkInputsReady() override {}
  void MarkInferDone() override {}
  void Respond(size_t, core::EngineResponse response) override {
    Require(response.status.ok(), response.status.ToString());
    last_ = std::move(response.outputs);
  }
  void RespondAll(core::EngineResponse) override {}
  void Finish() override { last_.clear(); }

 private:
  core::InferRequest request_;
  std::vector<core::InferTensor> last_;
};

double MeasureEngine(core::Engine* engine, const std::string& file, const Case& c, int cpu_threads) {
  core::LoadSpec spec;
  spec.model_name = c.model;
  spec.model_file = file;
  spec.config = std::make_shared<config::ModelConfig>();
  spec.cpu_threads = cpu_threads;
  auto model = engine->Load(spec);
  Require(model.has_value(), model ? "" : model.error().ToString());
  auto instance = (*model)->CreateInstance({});
  Require(instance.has_value(), "no instance");
  OneRequest execution;
  execution.rows = {1};
  for (size_t i = 0; i < c.outputs.size(); ++i) execution.outputs.push_back(static_cast<int>(i));
  const size_t bytes = static_cast<size_t>(*c.shape.ElementCount()) * tensor::ElementSize(c.datatype);
  for (size_t i = 0; i < c.inputs.size(); ++i) {
    base::Buffer data = base::Buffer::Allocate(bytes);
    std::fill(data.data(), data.data() + bytes, std::byte{0});
    core::ExecutionInput input{static_cast<int>(i), c.datatype, c.shape, {}};
    input.pieces.push_back(base::BufferSlice(data));
    execution.inputs.push_back(std::move(input));
  }
  return CpuOfCall([&] { (*instance)->Execute(execution); });
}

struct BareCost {
  double in_a_loop_us = 0;
  double lone_us = 0;
};

BareCost MeasureBare(const OrtApi& ort, OrtEnv* env, const std::string& file, const Case& c) {
  const bench::BareSession session(ort, env, file, c, 1);
  bench::BareSession::Caller caller(session, 1);
  return {CpuOfCall([&] { caller.Call(1); }), CpuOfLoneCall([&] { caller.Call(1); })};
}

std::string ModelFile(const std::string& repository, const Case& c) {
  return repository + "/" + c.model + "/1/model.onnx";
}

}  // namespace

int main(int argc, char** argv) {
  Require(argc >= 3 && argc <= 5, "usage: engine_call ENGINE.so MODEL_REPOSITORY [MODEL [SECONDS]]");
  auto engine = enginehost::PluginEngine::Open(argv[1], {.logger = nullptr, .cpu_threads = 2});
  Require(engine.has_value(), engine ? "" : engine.error().ToString());
  const OrtApi* ort = OrtGetApiBase()->GetApi(ORT_API_VERSION);
  OrtEnv* env = nullptr;
  Require(ort != nullptr && ort->CreateEnv(ORT_LOGGING_LEVEL_WARNING, "engine_call", &env) == nullptr,
          "no environment");
  if (argc > 3) {
    const auto what = std::ranges::find(Cases(), std::string_view(argv[3]), &Case::model);
    Require(what != Cases().end(), "no such model");
    const std::string file = ModelFile(argv[2], *what);
    if (argc == 5) {
      bench::PrintThroughput(*ort, env, file, *what, std::atof(argv[4]));
    } else {
      const BareCost bare = MeasureBare(*ort, env, file, *what);
      std::printf("%-16s %11.2f %13.2f\n", what->model.c_str(), bare.in_a_loop_us, bare.lone_us);
    }
    ort->ReleaseEnv(env);
    return 0;
  }
  std::printf("CPU us per call   bare C API   each 100 us        engine     2 threads\n");
  for (const Case& c : Cases()) {
    const std::string file = ModelFile(argv[2], c);
    const BareCost bare = MeasureBare(*ort, env, file, c);
    const double one = MeasureEngine(engine->get(), file, c, 1);
    const double two = MeasureEngine(engine->get(), file, c, 2);
    std::printf("%-16s %11.2f %13.2f %13.2f %13.2f\n", c.model.c_str(), bare.in_a_loop_us, bare.lone_us, one, two);
  }
  ort->ReleaseEnv(env);
  return 0;
}

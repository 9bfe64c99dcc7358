// engine_call ENGINE.so MODEL_REPOSITORY: what one call of an ONNX model costs, in microseconds of CPU, through the
// engine library as the server calls it, and through ONNX Runtime's C API alone. The second is the floor that the
// server's own cost is measured against.
//
// engine_call ENGINE.so MODEL_REPOSITORY MODEL SECONDS: how many rows per second the bare library reaches by itself
// with batches of 1 to 64 (throughput.h); each is measured for so long.

#include <onnxruntime_c_api.h>
#include <time.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "bench/engine_call/bare_session.h"
#include "bench/engine_call/cases.h"
#include "bench/engine_call/throughput.h"
#include "enginehost/plugin_engine.h"

namespace {

using namespace inferd;  // NOLINT(google-build-using-namespace): a program
using bench::Case;
using bench::Cases;
using bench::Require;

double CpuUs(clockid_t clock) {
  timespec now;
  clock_gettime(clock, &now);
  return static_cast<double>(now.tv_sec) * 1e6 + static_cast<double>(now.tv_nsec) / 1e3;
}

// CPU microseconds per call: the best of several rounds, since others use the machine too.
template <typename Call>
double Measure(Call call) {
  constexpr double kRoundUs = 100'000;
  double best = 1e12;
  for (int round = 0; round < 10; ++round) {
    const double start = CpuUs(CLOCK_PROCESS_CPUTIME_ID);
    double used = 0;
    int calls = 0;
    while (used < kRoundUs) {
      for (int i = 0; i < 64; ++i) call();
      calls += 64;
      used = CpuUs(CLOCK_PROCESS_CPUTIME_ID) - start;
    }
    best = std::min(best, used / calls);
  }
  return best;
}

// The same for a call that comes alone every 100 us, as those of a single client do: its core has slept meanwhile, and
// is slower than in a loop.
template <typename Call>
double MeasureLone(Call call) {
  constexpr timespec kPause = {.tv_sec = 0, .tv_nsec = 100'000};
  constexpr int kCalls = 500;
  double best = 1e12;
  for (int round = 0; round < 5; ++round) {
    double used = 0;
    for (int i = 0; i < kCalls; ++i) {
      nanosleep(&kPause, nullptr);
      const double start = CpuUs(CLOCK_THREAD_CPUTIME_ID);
      call();
      used += CpuUs(CLOCK_THREAD_CPUTIME_ID) - start;
    }
    best = std::min(best, used / kCalls);
  }
  return best;
}

// The least that a scheduler does around a call.
class OneRequest final : public core::Execution {
 public:
  const core::InferRequest& request(size_t) const override { return request_; }
  bool IsCancelled(size_t) const override { return false; }
  base::Buffer AllocateOutput(int, size_t bytes) override { return base::Buffer::Allocate(bytes); }
  void MarkInputsReady() override {}
  void MarkInferDone() override {}
  void Respond(size_t, base::Status status, std::vector<core::InferTensor> outputs_of_request, bool) override {
    Require(status.ok(), status.ToString());
    last_ = std::move(outputs_of_request);
  }
  void RespondAll(base::Status, std::vector<core::InferTensor>) override {}
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
  auto instance = (*model)->CreateInstance(0, 0);
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
  return Measure([&] { (*instance)->Execute(execution); });
}

struct BareCost {
  double in_a_loop_us = 0;
  double lone_us = 0;
};

BareCost MeasureBare(const OrtApi& ort, OrtEnv* env, const std::string& file, const Case& c) {
  const bench::BareSession session(ort, env, file, c, 1);
  bench::BareSession::Caller caller(session, 1);
  return {Measure([&] { caller.Call(); }), MeasureLone([&] { caller.Call(); })};
}

std::string ModelFile(const std::string& repository, const Case& c) {
  return repository + "/" + c.model + "/1/model.onnx";
}

}  // namespace

int main(int argc, char** argv) {
  Require(argc == 3 || argc == 5, "usage: engine_call ENGINE.so MODEL_REPOSITORY [MODEL SECONDS]");
  auto engine = enginehost::PluginEngine::Open(argv[1], {.logger = nullptr, .cpu_threads = 2});
  Require(engine.has_value(), engine ? "" : engine.error().ToString());
  const OrtApi* ort = OrtGetApiBase()->GetApi(ORT_API_VERSION);
  OrtEnv* env = nullptr;
  Require(ort != nullptr && ort->CreateEnv(ORT_LOGGING_LEVEL_WARNING, "engine_call", &env) == nullptr,
          "no environment");
  if (argc == 5) {
    const auto what = std::ranges::find(Cases(), std::string_view(argv[3]), &Case::model);
    Require(what != Cases().end(), "no such model");
    bench::PrintThroughput(*ort, env, ModelFile(argv[2], *what), *what, std::atof(argv[4]));
    ort->ReleaseEnv(env);
    return 0;
  }
  std::printf("CPU us per call      engine      2 threads    bare C API     each 100 us\n");
  for (const Case& c : Cases()) {
    const std::string file = ModelFile(argv[2], c);
    const BareCost bare = MeasureBare(*ort, env, file, c);
    const double one = MeasureEngine(engine->get(), file, c, 1);
    const double two = MeasureEngine(engine->get(), file, c, 2);
    std::printf("%-16s %10.2f %14.2f %13.2f %15.2f\n", c.model.c_str(), one, two, bare.in_a_loop_us, bare.lone_us);
  }
  ort->ReleaseEnv(env);
  return 0;
}

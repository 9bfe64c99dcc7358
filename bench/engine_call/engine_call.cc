// engine_call ENGINE.so MODEL_REPOSITORY: what one call of an ONNX model costs, in microseconds of CPU, through the
// engine library as the server calls it, and through ONNX Runtime's C API alone. The second is the floor that the
// server's own cost is measured against.

#include <onnxruntime_c_api.h>
#include <time.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "enginehost/plugin_engine.h"

namespace {

using namespace inferd;  // NOLINT(google-build-using-namespace): a program of one file

struct Case {
  std::string model;
  std::vector<std::string> inputs;
  std::vector<std::string> outputs;
  tensor::Shape shape;  // of each input
  tensor::DataType datatype;
  ONNXTensorElementDataType element_type;
};

const std::vector<Case>& Cases() {
  static const std::vector<Case> cases = {
      {"simple",
       {"INPUT0", "INPUT1"},
       {"OUTPUT0", "OUTPUT1"},
       {1, 16},
       tensor::DataType::kInt32,
       ONNX_TENSOR_ELEMENT_DATA_TYPE_INT32},
      {"mlp", {"x"}, {"y"}, {1, 784}, tensor::DataType::kFp32, ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT},
      {"pool224", {"image"}, {"mean"}, {1, 3, 224, 224}, tensor::DataType::kFp32, ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT},
  };
  return cases;
}

double CpuUs() {
  timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) * 1e6 + static_cast<double>(now.tv_nsec) / 1e3;
}

void Require(bool ok, const std::string& what) {
  if (ok) return;
  std::fprintf(stderr, "engine_call: %s\n", what.c_str());
  std::exit(1);
}

// CPU microseconds per call: the best of several rounds, since others use the machine too.
template <typename Call>
double Measure(Call call) {
  constexpr double kRoundUs = 100'000;
  double best = 1e12;
  for (int round = 0; round < 10; ++round) {
    const double start = CpuUs();
    double used = 0;
    int calls = 0;
    while (used < kRoundUs) {
      for (int i = 0; i < 64; ++i) call();
      calls += 64;
      used = CpuUs() - start;
    }
    best = std::min(best, used / calls);
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

// As a C program would: tensors over existing memory, the library allocates the outputs.
double MeasureBare(const OrtApi& ort, OrtEnv* env, const std::string& file, const Case& c) {
  const auto check = [&ort](OrtStatus* status) {
    Require(status == nullptr, status ? ort.GetErrorMessage(status) : "");
  };
  OrtSessionOptions* options;
  OrtSession* session;
  OrtMemoryInfo* memory;
  check(ort.CreateSessionOptions(&options));
  check(ort.SetIntraOpNumThreads(options, 1));
  check(ort.CreateSession(env, file.c_str(), options, &session));
  check(ort.CreateCpuMemoryInfo(OrtDeviceAllocator, OrtMemTypeDefault, &memory));
  const auto elements = static_cast<size_t>(*c.shape.ElementCount());
  const size_t bytes = elements * tensor::ElementSize(c.datatype);
  std::vector<std::vector<float>> data(c.inputs.size(), std::vector<float>(elements));
  std::vector<const char*> input_names;
  std::vector<const char*> output_names;
  for (const std::string& name : c.inputs) input_names.push_back(name.c_str());
  for (const std::string& name : c.outputs) output_names.push_back(name.c_str());
  std::vector<OrtValue*> inputs(c.inputs.size());
  std::vector<OrtValue*> outputs(c.outputs.size());
  const double cost = Measure([&] {
    for (size_t i = 0; i < inputs.size(); ++i) {
      check(ort.CreateTensorWithDataAsOrtValue(memory, data[i].data(), bytes, c.shape.dims().data(), c.shape.rank(),
                                               c.element_type, &inputs[i]));
    }
    check(ort.Run(session, nullptr, input_names.data(), inputs.data(), inputs.size(), output_names.data(),
                  output_names.size(), outputs.data()));
    for (OrtValue*& value : inputs) ort.ReleaseValue(value);
    for (OrtValue*& value : outputs) {
      ort.ReleaseValue(value);
      value = nullptr;
    }
  });
  ort.ReleaseMemoryInfo(memory);
  ort.ReleaseSession(session);
  ort.ReleaseSessionOptions(options);
  return cost;
}

}  // namespace

int main(int argc, char** argv) {
  Require(argc == 3, "usage: engine_call ENGINE.so MODEL_REPOSITORY");
  auto engine = enginehost::PluginEngine::Open(argv[1], {.logger = nullptr, .cpu_threads = 2});
  Require(engine.has_value(), engine ? "" : engine.error().ToString());
  const OrtApi* ort = OrtGetApiBase()->GetApi(ORT_API_VERSION);
  OrtEnv* env = nullptr;
  Require(ort != nullptr && ort->CreateEnv(ORT_LOGGING_LEVEL_WARNING, "engine_call", &env) == nullptr,
          "no environment");
  std::printf("CPU us per call      engine      2 threads    bare C API\n");
  for (const Case& c : Cases()) {
    const std::string file = std::string(argv[2]) + "/" + c.model + "/1/model.onnx";
    const double bare = MeasureBare(*ort, env, file, c);
    const double one = MeasureEngine(engine->get(), file, c, 1);
    const double two = MeasureEngine(engine->get(), file, c, 2);
    std::printf("%-16s %10.2f %14.2f %13.2f\n", c.model.c_str(), one, two, bare);
  }
  ort->ReleaseEnv(env);
  return 0;
}

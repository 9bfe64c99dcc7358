// Runs a model through ONNX Runtime's C API alone, in a loop, on the CPU or on a GPU. Inputs and outputs are in CPU
// memory, as in a server. Prints one line: runs per second, and microseconds per run.
//
//   onnxruntime_loop MODEL SECONDS [GPU]

#include <onnxruntime_c_api.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "bench/engine_call/require.h"

namespace {

using inferd::bench::Require;
using Clock = std::chrono::steady_clock;

const OrtApi* const ort = OrtGetApiBase()->GetApi(ORT_API_VERSION);

void Check(OrtStatus* status) { Require(status == nullptr, status ? ort->GetErrorMessage(status) : ""); }

void UseGpu(const char* gpu, OrtSessionOptions* options) {
  OrtCUDAProviderOptionsV2* cuda = nullptr;
  Check(ort->CreateCUDAProviderOptions(&cuda));
  const char* const key = "device_id";
  Check(ort->UpdateCUDAProviderOptions(cuda, &key, &gpu, 1));
  Check(ort->SessionOptionsAppendExecutionProvider_CUDA_V2(options, cuda));
  ort->ReleaseCUDAProviderOptions(cuda);
}

size_t SizeOf(ONNXTensorElementDataType type) {
  Require(type == ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT || type == ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT16,
          "the model's tensors must be of FP32 or FP16");
  return type == ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT ? 4 : 2;
}

// The first input or output of a session, filled with zeros. Owns its memory.
struct Tensor {
  Tensor(OrtTypeInfo* info, const OrtMemoryInfo* memory) {
    const OrtTensorTypeAndShapeInfo* shape = nullptr;
    Check(ort->CastTypeInfoToTensorInfo(info, &shape));
    ONNXTensorElementDataType type = ONNX_TENSOR_ELEMENT_DATA_TYPE_UNDEFINED;
    Check(ort->GetTensorElementType(shape, &type));
    size_t rank = 0;
    Check(ort->GetDimensionsCount(shape, &rank));
    std::vector<int64_t> dims(rank);
    Check(ort->GetDimensions(shape, dims.data(), rank));
    size_t bytes = SizeOf(type);
    for (const int64_t dim : dims) {
      Require(dim > 0, "the model's shapes must be fixed");
      bytes *= static_cast<size_t>(dim);
    }
    data.resize(bytes);
    Check(ort->CreateTensorWithDataAsOrtValue(memory, data.data(), bytes, dims.data(), rank, type, &value));
    ort->ReleaseTypeInfo(info);
  }
  std::vector<std::byte> data;
  OrtValue* value = nullptr;
};

}  // namespace

int main(int argc, char** argv) {
  Require(argc >= 3, "usage: onnxruntime_loop MODEL SECONDS [GPU]");
  OrtEnv* env = nullptr;
  OrtSessionOptions* options = nullptr;
  OrtSession* session = nullptr;
  OrtMemoryInfo* memory = nullptr;
  Check(ort->CreateEnv(ORT_LOGGING_LEVEL_ERROR, "loop", &env));
  Check(ort->CreateSessionOptions(&options));
  if (argc > 3) UseGpu(argv[3], options);
  Check(ort->CreateSession(env, argv[1], options, &session));
  Check(ort->CreateCpuMemoryInfo(OrtDeviceAllocator, OrtMemTypeDefault, &memory));
  OrtTypeInfo* info = nullptr;
  Check(ort->SessionGetInputTypeInfo(session, 0, &info));
  const Tensor input(info, memory);
  Check(ort->SessionGetOutputTypeInfo(session, 0, &info));
  Tensor output(info, memory);
  const char* const input_name = "x";
  const char* const output_name = "y";
  const auto run = [&] {
    Check(ort->Run(session, nullptr, &input_name, &input.value, 1, &output_name, 1, &output.value));
  };
  for (int i = 0; i < 5; ++i) run();
  const auto begin = Clock::now();
  const auto end = begin + std::chrono::duration<double>(std::atof(argv[2]));
  int runs = 0;
  do {
    run();
    ++runs;
  } while (Clock::now() < end);
  const double seconds = std::chrono::duration<double>(Clock::now() - begin).count();
  std::printf("%.1f %.0f\n", runs / seconds, seconds / runs * 1e6);
}

#include "engines/onnxruntime/gpu/append_providers.h"

#include <algorithm>
#include <memory>
#include <string_view>
#include <vector>

namespace inferd::onnxruntime {

namespace {

constexpr std::string_view kInstall = "tools/install_engine --gpu onnxruntime installs the one for GPUs";
constexpr std::string_view kCudaNeeds =
    "it needs CUDA 13 (libcudart.so.13, libcublas.so.13, libcublasLt.so.13, libcurand.so.10, libcufft.so.12) and cuDNN "
    "9 "
    "(libcudnn.so.9) where the system looks for libraries";
constexpr std::string_view kTensorRtNeeds =
    "it needs TensorRT 10 (libnvinfer.so.10, libnvonnxparser.so.10), CUDA 13 (libcudart.so.13, libcublas.so.13) and "
    "cuDNN 9 (libcudnn.so.9) where the system looks for libraries";

std::string WhyNoProvider(std::string_view wanted) {
  char** names = nullptr;
  int count = 0;
  const base::Status status = ToStatus(Ort().GetAvailableProviders(&names, &count));
  if (!status.ok()) return status.message();
  const bool has = std::any_of(names, names + count, [&](const char* name) { return name == wanted; });
  const base::Status released = ToStatus(Ort().ReleaseAvailableProviders(names, count));
  if (has && released.ok()) return "";
  return "this ONNX Runtime has no " + std::string(wanted) + ": " + std::string(kInstall);
}

// An object of the library's, with the function that releases it.
template <typename Type>
using Released = std::unique_ptr<Type, void(ORT_API_CALL*)(Type*)>;

// Keys and values in the library's form.
class Pairs final {
 public:
  explicit Pairs(const std::map<std::string, std::string>& options) {
    for (const auto& [key, value] : options) {
      keys_.push_back(key.c_str());
      values_.push_back(value.c_str());
    }
  }
  const char* const* keys() const { return keys_.data(); }
  const char* const* values() const { return values_.data(); }
  size_t size() const { return keys_.size(); }

 private:
  std::vector<const char*> keys_;
  std::vector<const char*> values_;
};

std::map<std::string, std::string> ForGpu(std::map<std::string, std::string> options, int32_t gpu, bool graphs,
                                          const char* graph_option) {
  options["device_id"] = std::to_string(gpu);
  if (graphs) options[graph_option] = "1";
  return options;
}

base::Status AppendCuda(const std::map<std::string, std::string>& given, OrtSessionOptions* options) {
  OrtCUDAProviderOptionsV2* provider = nullptr;
  INFERD_RETURN_IF_ERROR(ToStatus(Ort().CreateCUDAProviderOptions(&provider)));
  const Released<OrtCUDAProviderOptionsV2> owner(provider, Ort().ReleaseCUDAProviderOptions);
  const Pairs pairs(given);
  INFERD_RETURN_IF_ERROR(
      ToStatus(Ort().UpdateCUDAProviderOptions(provider, pairs.keys(), pairs.values(), pairs.size())));
  return ToStatus(Ort().SessionOptionsAppendExecutionProvider_CUDA_V2(options, provider));
}

base::Status AppendTensorRt(const std::map<std::string, std::string>& given, OrtSessionOptions* options) {
  OrtTensorRTProviderOptionsV2* provider = nullptr;
  INFERD_RETURN_IF_ERROR(ToStatus(Ort().CreateTensorRTProviderOptions(&provider)));
  const Released<OrtTensorRTProviderOptionsV2> owner(provider, Ort().ReleaseTensorRTProviderOptions);
  const Pairs pairs(given);
  INFERD_RETURN_IF_ERROR(
      ToStatus(Ort().UpdateTensorRTProviderOptions(provider, pairs.keys(), pairs.values(), pairs.size())));
  return ToStatus(Ort().SessionOptionsAppendExecutionProvider_TensorRT_V2(options, provider));
}

// An option that the library refuses is a configuration error; other failures concern the machine.
base::Status Explain(const base::Status& status, std::string_view provider, std::string_view needs) {
  if (status.ok() || status.code() == base::StatusCode::kInvalidArgument) {
    return status.WithContext("the " + std::string(provider) + " provider");
  }
  return base::FailedPrecondition("the " + std::string(provider) + " provider does not start: " + status.message() +
                                  "; " + std::string(needs));
}

}  // namespace

std::string WhyNoCudaProvider() { return WhyNoProvider("CUDAExecutionProvider"); }

std::string WhyNoTensorRtProvider() { return WhyNoProvider("TensorrtExecutionProvider"); }

base::Status AppendGpuProviders(const GpuProviders& providers, int32_t gpu, bool graphs, OrtSessionOptions* options) {
  if (providers.use_tensorrt) {
    if (const std::string why = WhyNoTensorRtProvider(); !why.empty()) return base::FailedPrecondition(why);
    INFERD_RETURN_IF_ERROR(
        Explain(AppendTensorRt(ForGpu(providers.tensorrt, gpu, graphs, "trt_cuda_graph_enable"), options), "TensorRT",
                kTensorRtNeeds));
  }
  // If both are used, only the first could make graphs.
  const bool cuda_graphs = graphs && !providers.use_tensorrt;
  return Explain(AppendCuda(ForGpu(providers.cuda, gpu, cuda_graphs, "enable_cuda_graph"), options), "CUDA",
                 kCudaNeeds);
}

}  // namespace inferd::onnxruntime

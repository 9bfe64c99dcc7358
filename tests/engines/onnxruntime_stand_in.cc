// A stand-in for ONNX Runtime's package for GPUs: the library for the CPU, with a few functions of its table replaced.
// Its CUDA and TensorRT providers take their options, and compute on the CPU with the bytes of the stand-in for the
// driver. It is stricter than the library: a tensor on a GPU must be memory of that GPU, and what is replayed as a CUDA
// graph must have the addresses, and the thread, with which it was recorded. A TensorRT plan is "ptrt" and an ONNX
// model.

#include "tests/engines/onnxruntime_stand_in.h"

#include <dlfcn.h>
#include <onnxruntime_c_api.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <set>
#include <string_view>
#include <thread>

#include "data/wire/reader.h"
#include "engines/onnxruntime/graph/onnx_fields.h"
#include "tests/engines/cuda_stand_in.h"

namespace {

using Options = std::map<std::string, std::string>;

constexpr std::string_view kCudaOptions[] = {"device_id",
                                             "gpu_mem_limit",
                                             "arena_extend_strategy",
                                             "cudnn_conv_algo_search",
                                             "do_copy_in_default_stream",
                                             "cudnn_conv_use_max_workspace",
                                             "enable_cuda_graph",
                                             "cudnn_conv1d_pad_to_nc1d",
                                             "tunable_op_enable",
                                             "tunable_op_tuning_enable",
                                             "tunable_op_max_tuning_duration_ms",
                                             "enable_skip_layer_norm_strict_mode",
                                             "prefer_nhwc",
                                             "use_ep_level_unified_stream",
                                             "use_tf32",
                                             "fuse_conv_bias",
                                             "sdpa_kernel"};

// What is known of the library's objects, by their addresses.
struct SessionState {
  bool graphs = false;
  std::atomic<int> running{0};
};
struct Recorded {
  std::vector<const void*> addresses;
  std::thread::id thread;
};

struct State {
  OnnxRuntimeStandIn told;
  std::mutex mutex;
  std::map<const OrtSessionOptions*, std::pair<bool, bool>> options;  // has TensorRT; makes graphs
  std::map<const OrtSession*, std::unique_ptr<SessionState>> sessions;
  std::map<const OrtMemoryInfo*, int> devices;
  std::map<const OrtRunOptions*, std::string> graph_ids;
  std::map<std::pair<const OrtSession*, std::string>, Recorded> graphs;
  std::map<const OrtValue*, const void*> on_device;  // the address on the device
};

State& TheState() {
  static auto* const state = new State();
  return *state;
}

const OrtApiBase* RealBase() {
  static const OrtApiBase* const base = [] {
    void* const library = dlopen(INFERD_ONNXRUNTIME, RTLD_NOW | RTLD_LOCAL);
    return reinterpret_cast<decltype(&OrtGetApiBase)>(dlsym(library, "OrtGetApiBase"))();
  }();
  return base;
}

CudaStandIn& Cuda() {
  static CudaStandIn* const cuda = [] {
    void* const library = dlopen(INFERD_CUDA_STAND_IN, RTLD_NOW | RTLD_LOCAL);
    return reinterpret_cast<CudaStandInFunction*>(dlsym(library, "inferd_cuda_stand_in"))();
  }();
  return *cuda;
}

const OrtApi* real = nullptr;

OrtStatus* Failure(OrtErrorCode code, const std::string& message) { return real->CreateStatus(code, message.c_str()); }

OrtStatus* Update(void* provider, const char* const* keys, const char* const* values, size_t count, bool cuda) {
  for (size_t i = 0; i < count; ++i) {
    const std::string_view key = keys[i];
    const bool known = cuda ? std::ranges::find(kCudaOptions, key) != std::end(kCudaOptions)
                            : key == "device_id" || key.starts_with("trt_");
    if (!known) return Failure(ORT_INVALID_ARGUMENT, "Unknown provider option: \"" + std::string(key) + "\".");
    (*static_cast<Options*>(provider))[keys[i]] = values[i];
  }
  return nullptr;
}

OrtStatus* Append(OrtSessionOptions* session, const void* provider, const char* name) {
  State& state = TheState();
  if (state.told.misses_library) {
    return Failure(ORT_FAIL, std::string("Failed to load library libonnxruntime_providers_") + name +
                                 ".so with error: libcublasLt.so.13: cannot open shared object file: No such file or "
                                 "directory");
  }
  const Options& options = *static_cast<const Options*>(provider);
  std::string line = name;
  for (const auto& [key, value] : options) line += " " + key + "=" + value;
  const std::lock_guard lock(state.told.mutex);
  state.told.appended.push_back(line);
  const std::lock_guard also(state.mutex);
  auto& [tensorrt, graphs] = state.options[session];
  tensorrt |= name == std::string_view("tensorrt");
  graphs |= options.contains("enable_cuda_graph") || options.contains("trt_cuda_graph_enable");
  return nullptr;
}

OrtStatus* ORT_API_CALL GetAvailableProviders(char*** names, int* count) noexcept {
  static const char* providers[] = {"TensorrtExecutionProvider", "CUDAExecutionProvider", "CPUExecutionProvider"};
  *names = const_cast<char**>(providers);
  *count = 3;
  return nullptr;
}
OrtStatus* ORT_API_CALL ReleaseAvailableProviders(char**, int) noexcept { return nullptr; }

OrtStatus* ORT_API_CALL CreateCuda(OrtCUDAProviderOptionsV2** out) noexcept {
  *out = reinterpret_cast<OrtCUDAProviderOptionsV2*>(new Options());
  return nullptr;
}
OrtStatus* ORT_API_CALL UpdateCuda(OrtCUDAProviderOptionsV2* options, const char* const* keys,
                                   const char* const* values, size_t count) noexcept {
  return Update(options, keys, values, count, true);
}
void ORT_API_CALL ReleaseCuda(OrtCUDAProviderOptionsV2* options) noexcept {
  delete reinterpret_cast<Options*>(options);
}
OrtStatus* ORT_API_CALL AppendCuda(OrtSessionOptions* session, const OrtCUDAProviderOptionsV2* options) noexcept {
  return Append(session, options, "cuda");
}

OrtStatus* ORT_API_CALL CreateTensorRt(OrtTensorRTProviderOptionsV2** out) noexcept {
  *out = reinterpret_cast<OrtTensorRTProviderOptionsV2*>(new Options());
  return nullptr;
}
OrtStatus* ORT_API_CALL UpdateTensorRt(OrtTensorRTProviderOptionsV2* options, const char* const* keys,
                                       const char* const* values, size_t count) noexcept {
  return Update(options, keys, values, count, false);
}
void ORT_API_CALL ReleaseTensorRt(OrtTensorRTProviderOptionsV2* options) noexcept {
  delete reinterpret_cast<Options*>(options);
}
OrtStatus* ORT_API_CALL AppendTensorRt(OrtSessionOptions* session,
                                       const OrtTensorRTProviderOptionsV2* options) noexcept {
  return Append(session, options, "tensorrt");
}

OrtStatus* ORT_API_CALL CreateMemoryInfo(const char* name, OrtAllocatorType type, int device, OrtMemType memory,
                                         OrtMemoryInfo** out) noexcept {
  if (name != std::string_view("Cuda")) return real->CreateMemoryInfo(name, type, device, memory, out);
  OrtStatus* const status = real->CreateCpuMemoryInfo(type, memory, out);
  if (status != nullptr) return status;
  const std::lock_guard lock(TheState().mutex);
  TheState().devices[*out] = device;
  return nullptr;
}
void ORT_API_CALL ReleaseMemoryInfo(OrtMemoryInfo* info) noexcept {
  {
    const std::lock_guard lock(TheState().mutex);
    TheState().devices.erase(info);
  }
  real->ReleaseMemoryInfo(info);
}

OrtStatus* ORT_API_CALL CreateTensor(const OrtMemoryInfo* info, void* data, size_t size, const int64_t* shape,
                                     size_t rank, ONNXTensorElementDataType type, OrtValue** out) noexcept {
  State& state = TheState();
  bool on_device = false;
  {
    const std::lock_guard lock(state.mutex);
    on_device = state.devices.contains(info);
  }
  void* const reached = Cuda().reach(data);
  if (on_device != (reached != data)) return Failure(ORT_FAIL, "CUDA failure 1: the memory is not where it should be");
  OrtStatus* const status = real->CreateTensorWithDataAsOrtValue(info, reached, size, shape, rank, type, out);
  if (status != nullptr || !on_device) return status;
  ++state.told.device_inputs;
  const std::lock_guard lock(state.mutex);
  state.on_device[*out] = data;
  return nullptr;
}
void ORT_API_CALL ReleaseValue(OrtValue* value) noexcept {
  {
    const std::lock_guard lock(TheState().mutex);
    TheState().on_device.erase(value);
  }
  real->ReleaseValue(value);
}

// The plan in a model whose one node is an EPContext; empty: it is another model.
std::string_view PlanIn(std::string_view model) {
  using namespace inferd::onnxruntime;
  const auto find = [](std::string_view message, uint32_t tag, const auto& wanted) {
    inferd::wire::Reader in(message);
    for (uint32_t at = in.Next(); at != 0; at = in.Next()) {
      if (at != tag) {
        in.Skip();
        continue;
      }
      const std::string_view found = in.Bytes();
      if (wanted(found)) return found;
    }
    return std::string_view();
  };
  const auto any = [](std::string_view) { return true; };
  const std::string_view node = find(find(model, kModelGraph, any), kGraphNode, any);
  if (find(node, kNodeType, any) != "EPContext" || find(node, kNodeDomain, any) != "com.microsoft") return {};
  const std::string_view attribute = find(node, kNodeAttribute, [&](std::string_view each) {
    return find(each, kAttributeName, any) == "ep_cache_context";
  });
  return find(attribute, kAttributeString, any);
}

OrtStatus* Made(OrtStatus* status, const OrtSessionOptions* options, OrtSession* const* session) {
  if (status != nullptr) return status;
  State& state = TheState();
  const std::lock_guard lock(state.mutex);
  auto made = std::make_unique<SessionState>();
  made->graphs = state.options[options].second;
  state.sessions[*session] = std::move(made);
  return nullptr;
}

OrtStatus* ORT_API_CALL CreateSession(const OrtEnv* env, const ORTCHAR_T* path, const OrtSessionOptions* options,
                                      OrtSession** out) noexcept {
  return Made(real->CreateSession(env, path, options, out), options, out);
}
OrtStatus* ORT_API_CALL CreateSessionFromArray(const OrtEnv* env, const void* data, size_t size,
                                               const OrtSessionOptions* options, OrtSession** out) noexcept {
  bool tensorrt = false;
  {
    const std::lock_guard lock(TheState().mutex);
    tensorrt = TheState().options[options].first;
  }
  std::string_view plan = tensorrt ? PlanIn({static_cast<const char*>(data), size}) : std::string_view();
  if (plan.starts_with("ptrt")) {
    ++TheState().told.plans;
    plan.remove_prefix(4);
    data = plan.data();
    size = plan.size();
  }
  return Made(real->CreateSessionFromArray(env, data, size, options, out), options, out);
}
void ORT_API_CALL ReleaseSessionOptions(OrtSessionOptions* options) noexcept {
  {
    const std::lock_guard lock(TheState().mutex);
    TheState().options.erase(options);
  }
  real->ReleaseSessionOptions(options);
}

OrtStatus* ORT_API_CALL AddRunConfigEntry(OrtRunOptions* options, const char* key, const char* value) noexcept {
  if (key == std::string_view("gpu_graph_id")) {
    const std::lock_guard lock(TheState().mutex);
    TheState().graph_ids[options] = value;
  }
  return real->AddRunConfigEntry(options, key, value);
}
void ORT_API_CALL ReleaseRunOptions(OrtRunOptions* options) noexcept {
  {
    const std::lock_guard lock(TheState().mutex);
    TheState().graph_ids.erase(options);
  }
  real->ReleaseRunOptions(options);
}

// Checks that this run may replay the CUDA graph that its options name.
OrtStatus* Replay(const OrtSession* session, const std::string& id, std::vector<const void*> addresses) {
  State& state = TheState();
  const Recorded now{std::move(addresses), std::this_thread::get_id()};
  if (std::ranges::find(now.addresses, nullptr) != now.addresses.end()) {
    return Failure(ORT_FAIL, "CUDA failure 1: a graph with memory that is not on the device");
  }
  const auto [graph, is_new] = state.graphs.try_emplace({session, id}, now);
  ++(is_new ? state.told.recorded : state.told.replayed);
  if (graph->second.addresses != now.addresses) return Failure(ORT_FAIL, "CUDA failure 700: other addresses");
  if (graph->second.thread != now.thread) return Failure(ORT_FAIL, "CUDA failure 1: another thread");
  return nullptr;
}

OrtStatus* ORT_API_CALL Run(OrtSession* session, const OrtRunOptions* options, const char* const* input_names,
                            const OrtValue* const* inputs, size_t input_count, const char* const* output_names,
                            size_t output_count, OrtValue** outputs) noexcept {
  State& state = TheState();
  SessionState* known = nullptr;
  {
    const std::lock_guard lock(state.mutex);
    known = state.sessions.at(session).get();
    const std::string id = known->graphs ? state.graph_ids[options] : "-1";
    if (id.empty()) return Failure(ORT_FAIL, "CUDA failure 1: the run does not say which graph it is");
    if (id != "-1") {
      std::vector<const void*> addresses;
      const auto add = [&](const OrtValue* value) {
        const auto found = state.on_device.find(value);
        addresses.push_back(found == state.on_device.end() ? nullptr : found->second);
      };
      for (size_t i = 0; i < input_count; ++i) add(inputs[i]);
      for (size_t i = 0; i < output_count; ++i) add(outputs[i]);
      if (OrtStatus* const status = Replay(session, id, std::move(addresses)); status != nullptr) return status;
    }
  }
  if (++known->running > 1 && known->graphs) {
    --known->running;
    return Failure(ORT_FAIL, "CUDA failure 1: two runs of one session with graphs");
  }
  OrtStatus* const status =
      real->Run(session, options, input_names, inputs, input_count, output_names, output_count, outputs);
  --known->running;
  return status;
}

void ORT_API_CALL ReleaseSession(OrtSession* session) noexcept {
  {
    State& state = TheState();
    const std::lock_guard lock(state.mutex);
    state.sessions.erase(session);
    std::erase_if(state.graphs, [session](const auto& graph) { return graph.first.first == session; });
  }
  real->ReleaseSession(session);
}

const OrtApi* ORT_API_CALL GetApi(uint32_t version) noexcept {
  static OrtApi api = [version] {
    real = RealBase()->GetApi(version);
    OrtApi replaced;
    std::memcpy(static_cast<void*>(&replaced), real, sizeof(replaced));
    replaced.GetAvailableProviders = GetAvailableProviders;
    replaced.ReleaseAvailableProviders = ReleaseAvailableProviders;
    replaced.CreateCUDAProviderOptions = CreateCuda;
    replaced.UpdateCUDAProviderOptions = UpdateCuda;
    replaced.ReleaseCUDAProviderOptions = ReleaseCuda;
    replaced.SessionOptionsAppendExecutionProvider_CUDA_V2 = AppendCuda;
    replaced.CreateTensorRTProviderOptions = CreateTensorRt;
    replaced.UpdateTensorRTProviderOptions = UpdateTensorRt;
    replaced.ReleaseTensorRTProviderOptions = ReleaseTensorRt;
    replaced.SessionOptionsAppendExecutionProvider_TensorRT_V2 = AppendTensorRt;
    replaced.CreateMemoryInfo = CreateMemoryInfo;
    replaced.ReleaseMemoryInfo = ReleaseMemoryInfo;
    replaced.CreateTensorWithDataAsOrtValue = CreateTensor;
    replaced.ReleaseValue = ReleaseValue;
    replaced.CreateSession = CreateSession;
    replaced.CreateSessionFromArray = CreateSessionFromArray;
    replaced.ReleaseSession = ReleaseSession;
    replaced.ReleaseSessionOptions = ReleaseSessionOptions;
    replaced.AddRunConfigEntry = AddRunConfigEntry;
    replaced.ReleaseRunOptions = ReleaseRunOptions;
    replaced.Run = Run;
    return replaced;
  }();
  return &api;
}

const char* ORT_API_CALL GetVersionString() noexcept { return RealBase()->GetVersionString(); }

const OrtApiBase kBase = {GetApi, GetVersionString};

}  // namespace

extern "C" {

__attribute__((visibility("default"))) const OrtApiBase* ORT_API_CALL OrtGetApiBase() noexcept { return &kBase; }

__attribute__((visibility("default"))) OnnxRuntimeStandIn* inferd_onnxruntime_stand_in() { return &TheState().told; }

}  // extern "C"

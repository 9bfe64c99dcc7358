#include "engines/onnxruntime/onnx_model.h"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>
#include <system_error>

#include "engines/kit/cuda/cuda_memory.h"
#include "engines/kit/load_gpus.h"
#include "engines/onnxruntime/gpu/append_providers.h"
#include "engines/onnxruntime/gpu/tensorrt_plan.h"
#include "engines/onnxruntime/graph/graph_patch.h"
#include "engines/onnxruntime/graph/operator_scan.h"
#include "engines/onnxruntime/rewritten/caffe2_files.h"
#include "engines/onnxruntime/rewritten/mxnet_files.h"

namespace inferd::onnxruntime {

namespace {

// Finds the configured file. A folder is a model with external data: it has a file of its own name or `model.onnx`.
base::Result<std::filesystem::path> FindFile(const inferd_load& load) {
  std::filesystem::path path(std::string(load.model_file.data, load.model_file.size));
  std::error_code error;
  if (std::filesystem::is_directory(path, error)) {
    const std::filesystem::path same_name = path / path.filename();
    path = std::filesystem::exists(same_name, error) ? same_name : path / "model.onnx";
  }
  if (std::filesystem::is_regular_file(path, error)) return path;
  return std::unexpected(base::NotFound("model file '" + path.string() + "' does not exist"));
}

// Returns the model with unservable parts changed, or nullopt to serve the file unchanged. FAILED_PRECONDITION if it
// needs a locale that the system lacks.
base::Result<std::optional<PatchedGraph>> PatchFile(const std::filesystem::path& path) {
  if (!HasOperator(path, kPatchedOperators)) return std::nullopt;
  std::ifstream file(path, std::ios::binary);
  const std::string model(std::istreambuf_iterator<char>(file), {});
  std::string missing;
  auto patched = PatchGraph(model, [&missing](std::string_view name) {
    std::string chosen = ChooseLocale(name);
    if (chosen.empty() && !HasLocale(std::string(name))) missing = name;
    return chosen;
  });
  if (missing.empty()) return patched;
  const std::string language = missing.substr(0, missing.find('.'));
  return std::unexpected(
      base::FailedPrecondition("operator StringNormalizer needs locale '" + missing +
                               "', which the system lacks: make it (Debian: apt-get install locales && "
                               "localedef -i " +
                               language + " -f UTF-8 " + missing + ")"));
}

// Returns the model to be served; nullopt means the file itself.
base::Result<std::optional<PatchedGraph>> ReadGraph(const inferd_load& load, const std::filesystem::path& path) {
  const bool is_caffe2 = IsCaffe2(load, path);
  if (!is_caffe2 && !IsMxnet(load, path)) return PatchFile(path);
  INFERD_ASSIGN_OR_RETURN(std::string model, is_caffe2 ? ReadCaffe2(load, path) : ReadMxnet(load, path));
  return PatchedGraph{.model = std::move(model), .labels = {}};
}

// A plan only runs on a GPU, in TensorRT.
base::Result<std::optional<PatchedGraph>> FromPlan(const inferd_load& load, const std::filesystem::path& path,
                                                   SessionSettings* settings) {
  const std::string needs =
      "a TensorRT plan needs a GPU, NVIDIA's driver, TensorRT 10 (libnvinfer.so.10) and ONNX "
      "Runtime's TensorRT provider: ";
  if (std::string why = WhyNoTensorRtProvider(); !why.empty()) {
    return std::unexpected(base::FailedPrecondition(needs + why));
  }
  const inferd_device_memory* const gpus = kit::CudaMemory();
  if (gpus->device_count == 0) return std::unexpected(base::FailedPrecondition(needs + gpus->why_none));
  if (kit::LoadsOnCpu(load)) {
    return std::unexpected(base::FailedPrecondition(needs + "every instance_group must be of kind KIND_GPU"));
  }
  settings->gpu.use_tensorrt = true;
  INFERD_ASSIGN_OR_RETURN(std::string model, ReadPlan(load, path));
  return PatchedGraph{.model = std::move(model), .labels = {}};
}

base::Result<std::optional<PatchedGraph>> ReadModel(const inferd_load& load, const std::filesystem::path& path,
                                                    SessionSettings* settings) {
  return IsTensorRtPlan(load, path) ? FromPlan(load, path, settings) : ReadGraph(load, path);
}

// Returns the number of threads that an execution keeps busy, for inferd_signature.
int BusyThreads(const SessionSettings& settings, const OnnxSessions& sessions, int compute_threads) {
  if (sessions.on_gpus_alone()) return -1;
  return settings.parallel_execution ? std::max(compute_threads, settings.inter_op_threads) : compute_threads;
}

}  // namespace

base::Result<std::unique_ptr<OnnxModel>> OnnxModel::Load(const Environment& environment,
                                                         std::shared_ptr<CancelWatch> watch, const inferd_load& load) {
  INFERD_ASSIGN_OR_RETURN(SessionSettings settings, SessionSettings::Parse(load));
  INFERD_ASSIGN_OR_RETURN(const std::filesystem::path path, FindFile(load));
  const int compute_threads = settings.ComputeThreads(load, path.parent_path());
  INFERD_ASSIGN_OR_RETURN(std::optional<PatchedGraph> patched, ReadModel(load, path, &settings));
  SessionSource source{.path = path};
  OutputLabels labels;
  if (patched.has_value()) {
    source.bytes = std::move(patched->model);
    labels = std::move(patched->labels);
  }
  INFERD_ASSIGN_OR_RETURN(OnnxSessions sessions,
                          OnnxSessions::Create(environment, settings, load, source, compute_threads));
  const bool is_onnx = !IsCaffe2(load, path) && !IsMxnet(load, path) && !IsTensorRtPlan(load, path);
  auto signature = OnnxSignature::Read(sessions.first(), is_onnx ? path : std::filesystem::path(), std::move(labels),
                                       sessions.on_gpus(), BusyThreads(settings, sessions, compute_threads));
  if (!signature) return std::unexpected(signature.error().WithContext("model file '" + path.string() + "'"));
  return std::unique_ptr<OnnxModel>(
      new OnnxModel(environment, std::move(watch), std::move(settings), std::move(sessions), *std::move(signature)));
}

base::Result<RunOptionsOwner> OnnxModel::MakeRunOptions(bool shrinks, int32_t graph) const {
  OrtRunOptions* options = nullptr;
  INFERD_RETURN_IF_ERROR(ToStatus(Ort().CreateRunOptions(&options)));
  RunOptionsOwner owner(options);
  const std::string which = settings_.arena_shrinkage.empty() && shrinks ? "cpu:0" : settings_.arena_shrinkage;
  if (!which.empty()) {
    INFERD_RETURN_IF_ERROR(
        ToStatus(Ort().AddRunConfigEntry(options, "memory.enable_memory_arena_shrinkage", which.c_str())));
  }
  if (sessions_.graphs()) {
    INFERD_RETURN_IF_ERROR(ToStatus(Ort().AddRunConfigEntry(options, "gpu_graph_id", std::to_string(graph).c_str())));
  }
  return owner;
}

}  // namespace inferd::onnxruntime

#include "engines/onnxruntime/session_settings.h"

#include <string_view>

#include "engines/kit/compute_threads.h"
#include "engines/kit/load_cores.h"
#include "engines/kit/load_gpus.h"
#include "engines/kit/parameters.h"
#include "engines/onnxruntime/gpu/append_providers.h"
#include "engines/onnxruntime/gpu/wants_cuda_graphs.h"
#include "engines/onnxruntime/session_parameters.h"

namespace inferd::onnxruntime {

namespace {

using kit::ToView;

base::Status AddEntry(OrtSessionOptions* options, const std::string& key, const std::string& value) {
  return ToStatus(Ort().AddSessionConfigEntry(options, key.c_str(), value.c_str()))
      .WithContext("parameter '" + key + "'");
}

// With one thread, the calling thread computes without a pool. With the server's share, the process-wide pool is used,
// unless the version has its own cores. Otherwise the session has its own pool.
bool UsesSharedPool(const SessionSettings& settings, const Environment& environment, const inferd_load& load,
                    int threads) {
  return threads > 1 && threads == environment.host().cpu_threads && !settings.parallel_execution &&
         kit::LoadCores(load).empty();
}

base::Status SetThreads(const SessionSettings& settings, const Environment& environment, const inferd_load& load,
                        int threads, OrtSessionOptions* options) {
  if (UsesSharedPool(settings, environment, load, threads)) {
    return ToStatus(Ort().DisablePerSessionThreads(options));
  }
  INFERD_RETURN_IF_ERROR(ToStatus(Ort().SetIntraOpNumThreads(options, threads)));
  INFERD_RETURN_IF_ERROR(ToStatus(Ort().SetInterOpNumThreads(options, std::max(settings.inter_op_threads, 1))));
  INFERD_RETURN_IF_ERROR(AddEntry(options, "session.intra_op.allow_spinning", "0"));
  return AddEntry(options, "session.inter_op.allow_spinning", "0");
}

base::Status AddAccelerator(const inferd_accelerator& accelerator, GpuProviders* providers) {
  const std::string_view name = ToView(accelerator.name);
  INFERD_RETURN_IF_ERROR(ApplyAccelerator(name, providers));
  for (size_t i = 0; i < accelerator.parameter_count; ++i) {
    const inferd_pair& parameter = accelerator.parameters[i];
    INFERD_RETURN_IF_ERROR(ApplyAcceleratorParameter(name, ToView(parameter.key), ToView(parameter.value), providers));
  }
  return base::OkStatus();
}

}  // namespace

base::Result<SessionSettings> SessionSettings::Parse(const inferd_load& load) {
  SessionSettings settings;
  if (load.graph_optimization_level < 0) settings.optimization = ORT_ENABLE_BASIC;
  if (load.graph_optimization_level > 0) settings.optimization = ORT_ENABLE_EXTENDED;
  for (size_t i = 0; i < load.parameter_count; ++i) {
    INFERD_RETURN_IF_ERROR(ApplyParameter(ToView(load.parameters[i].key), ToView(load.parameters[i].value), &settings));
  }
  if (kit::LoadGpus(load).empty()) return settings;
  INFERD_ASSIGN_OR_RETURN(const bool graphs, WantsCudaGraphs(ToView(load.config_json)));
  settings.gpu.cuda_graphs |= graphs;
  for (size_t i = 0; i < load.accelerator_count; ++i) {
    INFERD_RETURN_IF_ERROR(AddAccelerator(*load.accelerators[i], &settings.gpu));
  }
  INFERD_RETURN_IF_ERROR(CheckFiles(settings.gpu));
  return settings;
}

int SessionSettings::ComputeThreads(const inferd_load& load, const std::filesystem::path& folder) const {
  return intra_op_threads > 0 ? intra_op_threads : kit::ComputeThreads(load, folder);
}

bool SessionSettings::StartsThreads(const Environment& environment, const inferd_load& load,
                                    int compute_threads) const {
  const bool own_pool =
      parallel_execution || (compute_threads > 1 && !UsesSharedPool(*this, environment, load, compute_threads));
  return own_pool || load.op_library_count > 0;
}

base::Result<SessionOptionsOwner> SessionSettings::MakeOptions(const Environment& environment, const inferd_load& load,
                                                               int compute_threads, int32_t on_gpu) const {
  OrtSessionOptions* options = nullptr;
  INFERD_RETURN_IF_ERROR(ToStatus(Ort().CreateSessionOptions(&options)));
  SessionOptionsOwner owner(options);
  INFERD_RETURN_IF_ERROR(SetThreads(*this, environment, load, compute_threads, options));
  INFERD_RETURN_IF_ERROR(ToStatus(Ort().SetSessionGraphOptimizationLevel(options, optimization)));
  if (parallel_execution) INFERD_RETURN_IF_ERROR(ToStatus(Ort().SetSessionExecutionMode(options, ORT_PARALLEL)));
  if (!memory_arena) INFERD_RETURN_IF_ERROR(ToStatus(Ort().DisableCpuMemArena(options)));
  if (!memory_pattern) INFERD_RETURN_IF_ERROR(ToStatus(Ort().DisableMemPattern(options)));
  for (const auto& [key, value] : session_entries) INFERD_RETURN_IF_ERROR(AddEntry(options, key, value));
  for (size_t i = 0; i < load.op_library_count; ++i) {
    const std::string path(ToView(load.op_libraries[i]));
    const base::Status status = ToStatus(Ort().RegisterCustomOpsLibrary_V2(options, path.c_str()));
    if (!status.ok()) return std::unexpected(status.WithContext("custom operator library '" + path + "'"));
  }
  if (on_gpu >= 0) INFERD_RETURN_IF_ERROR(AppendGpuProviders(gpu, on_gpu, gpu.cuda_graphs, options));
  return owner;
}

}  // namespace inferd::onnxruntime

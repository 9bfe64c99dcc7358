#include "engines/onnxruntime/onnx_sessions.h"

#include <algorithm>

#include "engines/kit/background.h"
#include "engines/kit/load_cores.h"
#include "engines/kit/load_gpus.h"
#include "engines/onnxruntime/library/error_text.h"

namespace inferd::onnxruntime {

namespace {

OrtStatus* CreateFromBytes(const Environment& environment, const SessionSource& source, OrtSessionOptions* options,
                           OrtSession** session) {
  // Weights in separate files are looked up beside the model's file.
  constexpr const char* kFolderOfWeights = "session.model_external_initializers_file_folder_path";
  const std::string folder = source.path.parent_path();
  if (OrtStatus* status = Ort().AddSessionConfigEntry(options, kFolderOfWeights, folder.c_str()); status != nullptr) {
    return status;
  }
  return Ort().CreateSessionFromArray(environment.get(), source.bytes->data(), source.bytes->size(), options, session);
}

// Returns each session's GPU, or kOnCpu.
std::vector<int32_t> PlacesOf(const inferd_load& load, bool graphs) {
  std::vector<int32_t> places;
  if (kit::LoadsOnCpu(load)) places.push_back(kOnCpu);
  for (const int32_t gpu : kit::LoadGpus(load)) {
    if (graphs || places.empty() || places.back() != gpu) places.push_back(gpu);
  }
  return places;
}

base::Result<SessionOwner> CreateSession(const Environment& environment, const SessionSettings& settings,
                                         const inferd_load& load, const SessionSource& source, int compute_threads,
                                         int32_t gpu) {
  INFERD_ASSIGN_OR_RETURN(const SessionOptionsOwner options,
                          settings.MakeOptions(environment, load, compute_threads, gpu));
  OrtSession* session = nullptr;
  base::Status status;
  const auto create = [&] {
    const QuietErrors said_by_status;
    status = ToStatus(source.bytes.has_value()
                          ? CreateFromBytes(environment, source, options.get(), &session)
                          : Ort().CreateSession(environment.get(), source.path.c_str(), options.get(), &session));
  };
  const base::OnCpuCores here(kit::LoadCores(load));
  // Loading uses a core for its whole duration, which models that serve meanwhile should not notice.
  const bool starts_threads = gpu != kOnCpu || settings.StartsThreads(environment, load, compute_threads);
  starts_threads ? create() : kit::RunInBackground(create);
  if (status.ok()) return SessionOwner(session);
  // Whatever a file contains, failing to load it is not a server error.
  const bool fault_of_file = status.code() == base::StatusCode::kInternal;
  return std::unexpected(base::Status(
      fault_of_file ? base::StatusCode::kInvalidArgument : status.code(),
      "model file '" + source.path.string() + "': " + ExplainLoadError(status.message(), load.op_library_count > 0)));
}

}  // namespace

base::Result<OnnxSessions> OnnxSessions::Create(const Environment& environment, const SessionSettings& settings,
                                                const inferd_load& load, const SessionSource& source,
                                                int compute_threads) {
  OnnxSessions sessions(settings.gpu.cuda_graphs && !kit::LoadGpus(load).empty());
  for (const int32_t gpu : PlacesOf(load, sessions.graphs_)) {
    auto session = CreateSession(environment, settings, load, source, compute_threads, gpu);
    if (!session.has_value()) {
      return std::unexpected(gpu == kOnCpu ? session.error()
                                           : session.error().WithContext("on GPU " + std::to_string(gpu)));
    }
    sessions.sessions_.push_back({.gpu = gpu, .session = *std::move(session)});
  }
  return sessions;
}

base::Result<OrtSession*> OnnxSessions::Take(int32_t gpu) {
  base::MutexLock lock(*mutex_);
  for (Place& place : sessions_) {
    if (place.gpu != gpu || place.taken) continue;
    place.taken = graphs_ && gpu != kOnCpu;
    return place.session.get();
  }
  return std::unexpected(base::FailedPrecondition("the model was loaded for no instance " +
                                                  (gpu == kOnCpu ? "on the CPU" : "on GPU " + std::to_string(gpu))));
}

void OnnxSessions::Return(OrtSession* session) {
  base::MutexLock lock(*mutex_);
  const auto place =
      std::ranges::find(sessions_, session, [](const Place& each) -> const OrtSession* { return each.session.get(); });
  if (place != sessions_.end()) place->taken = false;
}

}  // namespace inferd::onnxruntime

#include "engines/onnxruntime/onnx_model.h"

#include <string>
#include <system_error>

#include "enginekit/background.h"
#include "enginekit/load_cores.h"

namespace inferd::onnxruntime {

namespace {

// The file that the configuration means. A folder is a model with external data: it holds a file of its own name or
// `model.onnx`.
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

base::Result<SessionOwner> CreateSession(const Environment& environment, const SessionSettings& settings,
                                         const inferd_load& load, const std::filesystem::path& path,
                                         int compute_threads) {
  INFERD_ASSIGN_OR_RETURN(const SessionOptionsOwner options, settings.MakeOptions(environment, load, compute_threads));
  OrtSession* session = nullptr;
  base::Status status;
  const auto create = [&] {
    status = ToStatus(Ort().CreateSession(environment.get(), path.c_str(), options.get(), &session));
  };
  const base::OnCpuCores here(enginekit::LoadCores(load));
  // It takes a core for as long as it lasts, which models that serve meanwhile should not notice.
  settings.StartsThreads(environment, load, compute_threads) ? create() : enginekit::RunInBackground(create);
  if (status.ok()) return SessionOwner(session);
  // Whatever a file has in it, not being able to load it is no fault of the server's.
  const bool fault_of_file = status.code() == base::StatusCode::kInternal;
  return std::unexpected(fault_of_file ? base::InvalidArgument(status.message()) : status);
}

}  // namespace

base::Result<std::unique_ptr<OnnxModel>> OnnxModel::Load(const Environment& environment,
                                                         std::shared_ptr<CancelWatch> watch, const inferd_load& load) {
  INFERD_ASSIGN_OR_RETURN(SessionSettings settings, SessionSettings::Parse(load));
  INFERD_ASSIGN_OR_RETURN(const std::filesystem::path path, FindFile(load));
  const int compute_threads = settings.ComputeThreads(load, path.parent_path());
  INFERD_ASSIGN_OR_RETURN(SessionOwner session, CreateSession(environment, settings, load, path, compute_threads));
  INFERD_ASSIGN_OR_RETURN(OnnxSignature signature, OnnxSignature::Read(session.get(), compute_threads));
  return std::unique_ptr<OnnxModel>(
      new OnnxModel(environment, std::move(watch), std::move(settings), std::move(session), std::move(signature)));
}

base::Result<RunOptionsOwner> OnnxModel::MakeRunOptions() const {
  OrtRunOptions* options = nullptr;
  INFERD_RETURN_IF_ERROR(ToStatus(Ort().CreateRunOptions(&options)));
  RunOptionsOwner owner(options);
  if (!settings_.arena_shrinkage.empty()) {
    INFERD_RETURN_IF_ERROR(ToStatus(
        Ort().AddRunConfigEntry(options, "memory.enable_memory_arena_shrinkage", settings_.arena_shrinkage.c_str())));
  }
  return owner;
}

}  // namespace inferd::onnxruntime

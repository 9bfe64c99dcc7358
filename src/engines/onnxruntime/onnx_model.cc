#include "engines/onnxruntime/onnx_model.h"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>
#include <system_error>

#include "enginekit/background.h"
#include "enginekit/load_cores.h"
#include "engines/onnxruntime/graph_patch.h"
#include "engines/onnxruntime/operator_scan.h"
#include "engines/onnxruntime/rewritten/caffe2_files.h"
#include "engines/onnxruntime/rewritten/mxnet_files.h"

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

// The model with what could not be served changed; nullopt: it is served as its file has it. FAILED_PRECONDITION: it
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

// What is to be served: nullopt is the file itself.
base::Result<std::optional<PatchedGraph>> ReadGraph(const inferd_load& load, const std::filesystem::path& path) {
  const bool is_caffe2 = IsCaffe2(load, path);
  if (!is_caffe2 && !IsMxnet(load, path)) return PatchFile(path);
  INFERD_ASSIGN_OR_RETURN(std::string model, is_caffe2 ? ReadCaffe2(load, path) : ReadMxnet(load, path));
  return PatchedGraph{.model = std::move(model), .labels = {}};
}

OrtStatus* CreateFromBytes(const Environment& environment, const std::filesystem::path& path, const std::string& model,
                           OrtSessionOptions* options, OrtSession** session) {
  // Weights that have files of their own are looked for beside the model's.
  constexpr const char* kFolderOfWeights = "session.model_external_initializers_file_folder_path";
  const std::string folder = path.parent_path();
  if (OrtStatus* status = Ort().AddSessionConfigEntry(options, kFolderOfWeights, folder.c_str()); status != nullptr) {
    return status;
  }
  return Ort().CreateSessionFromArray(environment.get(), model.data(), model.size(), options, session);
}

base::Result<SessionOwner> CreateSession(const Environment& environment, const SessionSettings& settings,
                                         const inferd_load& load, const std::filesystem::path& path,
                                         const std::optional<PatchedGraph>& patched, int compute_threads) {
  INFERD_ASSIGN_OR_RETURN(const SessionOptionsOwner options, settings.MakeOptions(environment, load, compute_threads));
  OrtSession* session = nullptr;
  base::Status status;
  const auto create = [&] {
    const QuietErrors said_by_status;
    status =
        ToStatus(patched.has_value() ? CreateFromBytes(environment, path, patched->model, options.get(), &session)
                                     : Ort().CreateSession(environment.get(), path.c_str(), options.get(), &session));
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
  INFERD_ASSIGN_OR_RETURN(std::optional<PatchedGraph> patched, ReadGraph(load, path));
  INFERD_ASSIGN_OR_RETURN(SessionOwner session,
                          CreateSession(environment, settings, load, path, patched, compute_threads));
  const int busy_threads =
      settings.parallel_execution ? std::max(compute_threads, settings.inter_op_threads) : compute_threads;
  OutputLabels labels;
  if (patched.has_value()) labels = std::move(patched->labels);
  INFERD_ASSIGN_OR_RETURN(OnnxSignature signature, OnnxSignature::Read(session.get(), std::move(labels), busy_threads));
  return std::unique_ptr<OnnxModel>(
      new OnnxModel(environment, std::move(watch), std::move(settings), std::move(session), std::move(signature)));
}

base::Result<RunOptionsOwner> OnnxModel::MakeRunOptions(bool shrinks) const {
  OrtRunOptions* options = nullptr;
  INFERD_RETURN_IF_ERROR(ToStatus(Ort().CreateRunOptions(&options)));
  RunOptionsOwner owner(options);
  const std::string which = settings_.arena_shrinkage.empty() && shrinks ? "cpu:0" : settings_.arena_shrinkage;
  if (!which.empty()) {
    INFERD_RETURN_IF_ERROR(
        ToStatus(Ort().AddRunConfigEntry(options, "memory.enable_memory_arena_shrinkage", which.c_str())));
  }
  return owner;
}

}  // namespace inferd::onnxruntime

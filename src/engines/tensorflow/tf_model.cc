#include "engines/tensorflow/tf_model.h"

#include <filesystem>
#include <string>
#include <system_error>

#include "enginekit/background.h"
#include "enginekit/compute_threads.h"
#include "enginekit/parameters.h"
#include "engines/tensorflow/element_type.h"
#include "engines/tensorflow/graph_function.h"

namespace inferd::tensorflow {

namespace {

constexpr std::string_view kSavedModelFile = "saved_model.pb";

struct ModelFiles {
  std::filesystem::path path;  // the SavedModel's folder, or the GraphDef's file
  bool saved_model = false;
};

// In the V2 layout, a folder in the version's folder; in TensorFlow Serving's, the version's folder itself.
ModelFiles FindFiles(const inferd_load& load) {
  const std::filesystem::path file(enginekit::ToView(load.model_file));
  std::error_code error;
  if (std::filesystem::is_directory(file, error)) return {file, true};
  if (file.filename() == kSavedModelFile || file.filename() == "saved_model.pbtxt") return {file.parent_path(), true};
  return {file, false};
}

base::Status LoadOperators(const inferd_load& load) {
  for (size_t i = 0; i < load.op_library_count; ++i) {
    const std::string path(enginekit::ToView(load.op_libraries[i]));
    const TfStatus status;
    TF_Library* library = Tf().LoadLibrary(path.c_str(), status.get());
    INFERD_RETURN_IF_ERROR(status.Take().WithContext("custom operator library '" + path + "'"));
    Tf().DeleteLibraryHandle(library);  // the operators stay
  }
  return base::OkStatus();
}

base::Result<OpenedGraph> Open(const ModelFiles& files, const inferd_load& load, const SessionSettings& settings,
                               int compute_threads) {
  base::Result<OpenedGraph> opened = std::unexpected(base::Internal("nothing was opened"));
  const auto open = [&] {
    opened = files.saved_model ? OpenSavedModel(files.path, settings, compute_threads)
                               : OpenFrozenGraph(files.path, *load.declared, settings, compute_threads);
  };
  // It takes a core for as long as it lasts, which models that serve meanwhile should not notice; but threads that are
  // to serve later would stay as low.
  compute_threads > 1 || settings.starts_threads() ? open() : enginekit::RunInBackground(open);
  if (opened) return opened;
  // Whatever the files have in them, not being able to load them is no fault of the server's.
  const base::StatusCode code = opened.error().code();
  const bool fault_of_files =
      code == base::StatusCode::kInternal || code == base::StatusCode::kUnknown || code == base::StatusCode::kDataLoss;
  return fault_of_files ? std::unexpected(base::InvalidArgument(opened.error().message())) : std::move(opened);
}

// Of an input or output that the configuration also describes; null: it does not.
const inferd_tensor_spec* FindDeclared(const inferd_tensor_spec* const* list, size_t count, std::string_view name) {
  for (size_t i = 0; i < count; ++i) {
    if (enginekit::ToView(list[i]->name) == name) return list[i];
  }
  return nullptr;
}

// The shapes that the configuration states hold. Those of a SavedModel are what it was saved with: the operators of its
// graph may take others, and TensorFlow Serving's clients count on that.
base::Result<enginekit::TensorDescription> ToDescription(const TensorInfo& info, const inferd_tensor_spec* declared) {
  if (info.tensor.empty()) {
    return std::unexpected(
        base::InvalidArgument("tensor '" + info.name + "' is sparse or ragged; only dense tensors can be served"));
  }
  enginekit::TensorDescription tensor{.name = info.name, .datatype = ToDatatype(info.type), .shape = info.shape};
  if (tensor.datatype == INFERD_TYPE_INVALID) {
    return std::unexpected(base::InvalidArgument("tensor '" + info.name + "' has elements of type " +
                                                 ElementTypeName(info.type) + ", which no protocol carries"));
  }
  tensor.any_shape = declared == nullptr;
  tensor.graph_name = info.tensor;
  tensor.unknown_rank = !info.known_rank && declared == nullptr;
  if (!info.known_rank && declared != nullptr) tensor.shape.assign(declared->shape, declared->shape + declared->rank);
  return tensor;
}

TfFunction Shown(const SignatureDef& signature) {
  const auto describe = [](const TensorInfo& info) {
    return enginekit::TensorDescription{.name = info.name,
                                        .datatype = ToDatatype(info.type),
                                        .shape = info.shape,
                                        .any_shape = !info.known_rank,
                                        .graph_name = info.tensor,
                                        .unknown_rank = !info.known_rank};
  };
  TfFunction function;
  for (const TensorInfo& info : signature.inputs) function.signature.AddInput(describe(info));
  for (const TensorInfo& info : signature.outputs) function.signature.AddOutput(describe(info));
  function.signature.FinishToShow(signature.name, signature.method);
  return function;
}

}  // namespace

base::Result<std::unique_ptr<TfModel>> TfModel::Load(const inferd_host* host, const inferd_load& load) {
  INFERD_ASSIGN_OR_RETURN(const SessionSettings settings, SessionSettings::Parse(load));
  INFERD_RETURN_IF_ERROR(LoadOperators(load));
  const ModelFiles files = FindFiles(load);
  const int threads =
      settings.intra_op_threads > 0 ? settings.intra_op_threads : enginekit::ComputeThreads(load, files.path);
  INFERD_ASSIGN_OR_RETURN(OpenedGraph opened, Open(files, load, settings, threads));
  std::unique_ptr<TfModel> model(new TfModel(host, std::move(opened)));
  INFERD_RETURN_IF_ERROR(model->DescribeAll(load, std::max(threads, settings.inter_op_threads)));
  return model;
}

const TfFunction& TfModel::function(size_t number) const {
  base::MutexLock lock(mutex_);
  return functions_[number];
}

const inferd_signature* TfModel::other_signature(size_t number) const {
  base::MutexLock lock(mutex_);
  return number < functions_.size() ? functions_[number].signature.abi() : nullptr;
}

base::Result<size_t> TfModel::OpenSignature(const inferd_graph_call& call) {
  INFERD_ASSIGN_OR_RETURN(TfFunction function, DescribeCall(opened_.graph.get(), call));
  function.signature.Finish(compute_threads_);
  base::MutexLock lock(mutex_);
  functions_.push_back(std::move(function));
  return functions_.size() - 1;
}

base::Status TfModel::DescribeAll(const inferd_load& load, int compute_threads) {
  compute_threads_ = compute_threads;
  base::MutexLock lock(mutex_);
  const std::vector<SignatureDef>& signatures = opened_.signatures;
  INFERD_ASSIGN_OR_RETURN(TfFunction first, Describe(signatures.front(), *load.declared, compute_threads));
  functions_.push_back(std::move(first));
  const inferd_signature nothing = {};
  for (size_t i = 1; i < signatures.size(); ++i) {
    auto other = Describe(signatures[i], nothing, compute_threads);
    if (other.has_value()) {
      functions_.push_back(*std::move(other));
      continue;
    }
    const std::string line = "model '" + std::string(enginekit::ToView(load.model_name)) + "': signature '" +
                             signatures[i].name + "' is not served: " + other.error().message();
    host_->log(host_, INFERD_LOG_WARNING, {line.data(), line.size()});
  }
  for (const SignatureDef& signature : opened_.shown) functions_.push_back(Shown(signature));
  return base::OkStatus();
}

base::Result<TfFunction> TfModel::Describe(const SignatureDef& signature, const inferd_signature& declared,
                                           int compute_threads) const {
  TfFunction function;
  for (const TensorInfo& info : signature.inputs) {
    INFERD_ASSIGN_OR_RETURN(enginekit::TensorDescription tensor,
                            ToDescription(info, FindDeclared(declared.inputs, declared.input_count, info.name)));
    tensor.alignment = info.type == TF_STRING ? 1 : kInputAlignment;
    INFERD_RETURN_IF_ERROR(AddTensor(info, &function.inputs));
    function.signature.AddInput(std::move(tensor));
  }
  for (const TensorInfo& info : signature.outputs) {
    INFERD_ASSIGN_OR_RETURN(enginekit::TensorDescription tensor,
                            ToDescription(info, FindDeclared(declared.outputs, declared.output_count, info.name)));
    INFERD_RETURN_IF_ERROR(AddTensor(info, &function.outputs));
    function.signature.AddOutput(std::move(tensor));
  }
  function.signature.Finish(compute_threads, signature.name, signature.method);
  return function;
}

base::Status TfModel::AddTensor(const TensorInfo& info, std::vector<GraphTensor>* list) const {
  INFERD_ASSIGN_OR_RETURN(const TF_Output output, FindTensor(opened_.graph.get(), info.tensor));
  list->push_back({output, info.type, info.name});
  return base::OkStatus();
}

}  // namespace inferd::tensorflow

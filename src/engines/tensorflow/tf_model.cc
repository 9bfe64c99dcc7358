#include "engines/tensorflow/tf_model.h"

#include <algorithm>
#include <filesystem>
#include <string>
#include <system_error>

#include "engines/kit/background.h"
#include "engines/kit/compute_threads.h"
#include "engines/kit/parameters.h"
#include "engines/tensorflow/element_type.h"
#include "engines/tensorflow/graph_function.h"
#include "engines/tensorflow/missing_operator.h"

namespace inferd::tensorflow {

namespace {

constexpr std::string_view kSavedModelFile = "saved_model.pb";

struct ModelFiles {
  std::filesystem::path path;  // the SavedModel's folder, or the GraphDef's file
  bool saved_model = false;
};

// Finds a folder in the version's folder (V2 layout), or the version's folder itself (TensorFlow Serving's layout).
ModelFiles FindFiles(const inferd_load& load) {
  const std::filesystem::path file(kit::ToView(load.model_file));
  std::error_code error;
  if (std::filesystem::is_directory(file, error)) return {file, true};
  if (file.filename() == kSavedModelFile || file.filename() == "saved_model.pbtxt") return {file.parent_path(), true};
  return {file, false};
}

base::Status LoadOperators(const inferd_load& load) {
  for (size_t i = 0; i < load.op_library_count; ++i) {
    const std::string path(kit::ToView(load.op_libraries[i]));
    const TfStatus status;
    TF_Library* library = Tf().LoadLibrary(path.c_str(), status.get());
    INFERD_RETURN_IF_ERROR(status.Take().WithContext("custom operator library '" + path + "'"));
    Tf().DeleteLibraryHandle(library);  // the operators stay registered
  }
  return base::OkStatus();
}

// Returns TensorFlow's own text, which does not always name the SavedModel, with additions.
std::string Explain(const std::string& error, const ModelFiles& files, const inferd_load& load) {
  std::string text = WithMissingOperator(error);
  if (!files.saved_model || text.find(files.path.string()) != std::string::npos) return text;
  return "model file '" + std::string(kit::ToView(load.model_file)) + "': " + text;
}

base::Result<OpenedGraph> Open(const ModelFiles& files, const inferd_load& load, const SessionSettings& settings,
                               int compute_threads) {
  base::Result<OpenedGraph> opened = std::unexpected(base::Internal("nothing was opened"));
  const auto open = [&] {
    opened = files.saved_model ? OpenSavedModel(files.path, settings, compute_threads)
                               : OpenFrozenGraph(files.path, *load.declared, settings, compute_threads);
  };
  // Loading uses a core for its whole duration, which models that serve meanwhile should not notice; but threads that
  // will serve later would keep the low priority.
  compute_threads > 1 || settings.starts_threads() ? open() : kit::RunInBackground(open);
  if (opened) return opened;
  opened = std::unexpected(base::Status(opened.error().code(), Explain(opened.error().message(), files, load)));
  // Whatever the files contain, failing to load them is not a server error.
  const base::StatusCode code = opened.error().code();
  const bool fault_of_files =
      code == base::StatusCode::kInternal || code == base::StatusCode::kUnknown || code == base::StatusCode::kDataLoss;
  return fault_of_files ? std::unexpected(base::InvalidArgument(opened.error().message())) : std::move(opened);
}

// Returns the configuration's description of an input or output, or null if there is none.
const inferd_tensor_spec* FindDeclared(const inferd_tensor_spec* const* list, size_t count, std::string_view name) {
  for (size_t i = 0; i < count; ++i) {
    if (kit::ToView(list[i]->name) == name) return list[i];
  }
  return nullptr;
}

// Returns the configured shape; `of_file` is a SavedModel's. A size of the file is kept unless the configuration has -1
// there, since the graph may accept other sizes. It is also kept in the position of a batch's rows.
std::vector<int64_t> WidenedShape(const TensorInfo& of_file, const inferd_tensor_spec& declared, bool batches) {
  if (!of_file.known_rank) return {declared.shape, declared.shape + declared.rank};
  std::vector<int64_t> shape = of_file.shape;
  if (shape.size() != declared.rank) return shape;
  for (size_t d = batches ? 1 : 0; d < shape.size(); ++d) {
    if (declared.shape[d] == -1) shape[d] = -1;
  }
  return shape;
}

// Configured shapes are binding. A SavedModel's shapes are those with which it was saved: its operators may accept
// others, and TensorFlow Serving's clients rely on that.
base::Result<kit::TensorDescription> ToDescription(const TensorInfo& info, const inferd_tensor_spec* declared,
                                                   bool batches) {
  if (info.tensor.empty()) {
    return std::unexpected(
        base::InvalidArgument("tensor '" + info.name + "' is sparse or ragged; only dense tensors can be served"));
  }
  kit::TensorDescription tensor{.name = info.name, .datatype = ToDatatype(info.type), .shape = info.shape};
  if (tensor.datatype == INFERD_TYPE_INVALID) {
    return std::unexpected(base::InvalidArgument("tensor '" + info.name + "' has elements of type " +
                                                 ElementTypeName(info.type) + ", which no protocol carries"));
  }
  tensor.any_shape = declared == nullptr;
  tensor.graph_name = info.tensor;
  tensor.unknown_rank = !info.known_rank && declared == nullptr;
  if (declared != nullptr) tensor.shape = WidenedShape(info, *declared, batches);
  return tensor;
}

// Makes the model's tensor for a missing input.
base::Result<TensorOwner> MakeDefault(const TensorInfo& info, const std::string& proto) {
  const BufferOwner bytes(Tf().NewBufferFromString(proto.data(), proto.size()));
  TensorOwner tensor(Tf().AllocateTensor(TF_FLOAT, nullptr, 0, sizeof(float)));  // its content is replaced
  const TfStatus status;
  Tf().TensorFromProto(bytes.get(), tensor.get(), status.get());
  INFERD_RETURN_IF_ERROR(status.Take().WithContext("the default of input '" + info.name + "'"));
  if (Tf().TensorType(tensor.get()) != info.type) {
    return std::unexpected(base::InvalidArgument("the default of input '" + info.name + "' is of type " +
                                                 ElementTypeName(Tf().TensorType(tensor.get()))));
  }
  return tensor;
}

std::string DefaultOf(const SignatureDef& signature, const std::string& input) {
  const auto found = signature.defaults.find(input);
  return found == signature.defaults.end() ? "" : found->second;
}

// `why` is the reason for not serving it; empty if nobody may call it.
TfFunction Shown(const SignatureDef& signature, const std::string& why) {
  const auto describe = [&signature](const TensorInfo& info) {
    return kit::TensorDescription{.name = info.name,
                                  .datatype = ToDatatype(info.type),
                                  .shape = info.shape,
                                  .any_shape = !info.known_rank,
                                  .graph_name = info.tensor,
                                  .unknown_rank = !info.known_rank,
                                  .default_value = DefaultOf(signature, info.name)};
  };
  TfFunction function;
  for (const TensorInfo& info : signature.inputs) function.signature.AddInput(describe(info));
  for (const TensorInfo& info : signature.outputs) function.signature.AddOutput(describe(info));
  function.signature.FinishToShow(signature.name, signature.method, why);
  return function;
}

// Returns the first tensor without a datatype in Predict V2, or null.
const TensorInfo* FindBeyondPredictV2(const SignatureDef& signature) {
  for (const auto* const tensors : {&signature.inputs, &signature.outputs}) {
    const auto found =
        std::ranges::find_if(*tensors, [](const TensorInfo& info) { return ToDatatype(info.type) > INFERD_TYPE_BF16; });
    if (found != tensors->end()) return &*found;
  }
  return nullptr;
}

}  // namespace

base::Result<std::unique_ptr<TfModel>> TfModel::Load(const inferd_host* host, const inferd_load& load) {
  INFERD_ASSIGN_OR_RETURN(const SessionSettings settings, SessionSettings::Parse(load));
  INFERD_RETURN_IF_ERROR(LoadOperators(load));
  const ModelFiles files = FindFiles(load);
  const int threads = settings.intra_op_threads > 0 ? settings.intra_op_threads : kit::ComputeThreads(load, files.path);
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
  batches_ = load.max_batch_size > 0;
  base::MutexLock lock(mutex_);
  const inferd_signature nothing = {};
  // Predict V2's clients get the first signature: one that their protocol can carry, if there is any.
  std::deque<TfFunction> beyond_predict_v2;
  std::deque<TfFunction> not_served;
  base::Status first_fault;
  for (const SignatureDef& signature : opened_.signatures) {
    const bool first = &signature == &opened_.signatures.front();
    auto function = Describe(signature, first ? *load.declared : nothing, compute_threads);
    if (function.has_value()) {
      const TensorInfo* const beyond = FindBeyondPredictV2(signature);
      if (beyond != nullptr && first) LogBeyondPredictV2(load, signature.name, *beyond);
      const bool stays = beyond == nullptr || (first && opened_.chosen);
      (stays ? functions_ : beyond_predict_v2).push_back(*std::move(function));
      continue;
    }
    if (first && (opened_.chosen || signature.name.empty())) return function.error();
    if (first) first_fault = function.error();
    LogNotServed(load, signature.name, function.error());
    not_served.push_back(Shown(signature, function.error().message()));
  }
  for (TfFunction& function : beyond_predict_v2) functions_.push_back(std::move(function));
  if (functions_.empty()) return first_fault;
  for (TfFunction& function : not_served) functions_.push_back(std::move(function));
  for (const SignatureDef& signature : opened_.shown) functions_.push_back(Shown(signature, ""));
  return base::OkStatus();
}

void TfModel::LogNotServed(const inferd_load& load, const std::string& signature, const base::Status& why) const {
  const std::string line = "model '" + std::string(kit::ToView(load.model_name)) + "': signature '" + signature +
                           "' is not served: " + why.message();
  host_->log(host_, INFERD_LOG_WARNING, {line.data(), line.size()});
}

void TfModel::LogBeyondPredictV2(const inferd_load& load, const std::string& signature,
                                 const TensorInfo& tensor) const {
  const std::string line = "model '" + std::string(kit::ToView(load.model_name)) + "': tensor '" + tensor.name +
                           "' of signature '" + signature + "' has elements of type " + ElementTypeName(tensor.type) +
                           ", which Predict V2 does not have: only clients of TensorFlow Serving's gRPC can call it";
  host_->log(host_, INFERD_LOG_INFO, {line.data(), line.size()});
}

base::Result<TfFunction> TfModel::Describe(const SignatureDef& signature, const inferd_signature& declared,
                                           int compute_threads) const {
  TfFunction function;
  for (const TensorInfo& info : signature.inputs) {
    INFERD_ASSIGN_OR_RETURN(
        kit::TensorDescription tensor,
        ToDescription(info, FindDeclared(declared.inputs, declared.input_count, info.name), batches_));
    tensor.alignment = info.type == TF_STRING ? 1 : kInputAlignment;
    INFERD_RETURN_IF_ERROR(AddTensor(info, &function.inputs));
    // If the configuration has the shape, no other reaches this code.
    if (opened_.holds_ranks && info.known_rank && tensor.any_shape) function.inputs.back().rank = info.shape.size();
    if (const auto found = signature.defaults.find(info.name); found != signature.defaults.end()) {
      INFERD_ASSIGN_OR_RETURN(function.inputs.back().default_value, MakeDefault(info, found->second));
      tensor.optional = true;
      tensor.default_value = found->second;
    }
    function.signature.AddInput(std::move(tensor));
  }
  for (const TensorInfo& info : signature.outputs) {
    INFERD_ASSIGN_OR_RETURN(
        kit::TensorDescription tensor,
        ToDescription(info, FindDeclared(declared.outputs, declared.output_count, info.name), batches_));
    INFERD_RETURN_IF_ERROR(AddTensor(info, &function.outputs));
    tensor.shape_is_hint = true;
    function.signature.AddOutput(std::move(tensor));
  }
  function.signature.Finish(compute_threads, signature.name, signature.method);
  return function;
}

base::Status TfModel::AddTensor(const TensorInfo& info, std::vector<GraphTensor>* list) const {
  INFERD_ASSIGN_OR_RETURN(const TF_Output output, FindTensor(opened_.graph.get(), info.tensor));
  list->push_back({.output = output, .type = info.type, .name = info.name});
  return base::OkStatus();
}

}  // namespace inferd::tensorflow

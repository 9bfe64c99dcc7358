#include "engines/tensorflow/graph.h"

#include <algorithm>
#include <charconv>
#include <fstream>
#include <iterator>
#include <span>

#include "engines/kit/parameters.h"

namespace inferd::tensorflow {

namespace {

// No TensorFlow tool writes GraphDef messages above 2 GiB.
constexpr uintmax_t kGraphBytesMax = (uintmax_t{1} << 31) - 1;

base::Result<SessionOptionsOwner> MakeOptions(const SessionSettings& settings, int compute_threads) {
  SessionOptionsOwner options(Tf().NewSessionOptions());
  const std::string config = settings.ConfigProto(compute_threads);
  const TfStatus status;
  Tf().SetConfig(options.get(), config.data(), config.size(), status.get());
  INFERD_RETURN_IF_ERROR(status.Take());
  return options;
}

std::string_view Bytes(const TF_Buffer& buffer) { return {static_cast<const char*>(buffer.data), buffer.length}; }

// Searches the types' names anywhere in the message: in the graph or in one of its functions.
bool HasOneOf(std::string_view graph, std::span<const std::string_view> types) {
  return std::ranges::any_of(types, [&](std::string_view type) { return graph.contains(type); });
}

constexpr std::string_view kInputKeepers[] = {"Enqueue", "Stage", "Barrier", "Dataset", "StackPush", "Accumulator"};

// Operators whose kernels, oneDNN's included, CHECK a rank that shape inference would have refused (TensorFlow 2.21).
constexpr std::string_view kRankTakers[] = {
    "Conv2D",    "Conv3D",    "DepthwiseConv2d",   "MaxPool3D",         "AvgPool3D",
    "LSTMBlock", "BlockLSTM", "CombinedNonMax",    "ScatterNd",         "RaggedGather",
    "FakeQuant", "CTCLoss",   "FractionalMaxPool", "FractionalAvgPool",
};

void NoteOperators(std::string_view graph, OpenedGraph* opened) {
  opened->keeps_inputs = HasOneOf(graph, kInputKeepers);
  opened->holds_ranks = HasOneOf(graph, kRankTakers);
}

base::Result<BufferOwner> ReadGraph(const std::filesystem::path& file) {
  std::error_code error;
  const uintmax_t size = std::filesystem::file_size(file, error);
  if (error) return std::unexpected(base::NotFound("model file '" + file.string() + "': " + error.message()));
  if (size > kGraphBytesMax) {
    return std::unexpected(base::InvalidArgument("model file '" + file.string() + "' is larger than 2 GiB"));
  }
  std::ifstream stream(file, std::ios::binary);
  const std::string content{std::istreambuf_iterator<char>(stream), {}};
  if (!stream) return std::unexpected(base::NotFound("model file '" + file.string() + "' cannot be read"));
  return BufferOwner(Tf().NewBufferFromString(content.data(), content.size()));
}

base::Result<SignatureDef> DescribeAll(TF_Graph* graph, const inferd_signature& declared) {
  SignatureDef signature;
  signature.method = "tensorflow/serving/predict";  // TensorFlow's default
  for (size_t i = 0; i < declared.input_count; ++i) {
    INFERD_ASSIGN_OR_RETURN(TensorInfo info, DescribeTensor(graph, kit::ToView(declared.inputs[i]->name)));
    signature.inputs.push_back(std::move(info));
  }
  for (size_t i = 0; i < declared.output_count; ++i) {
    INFERD_ASSIGN_OR_RETURN(TensorInfo info, DescribeTensor(graph, kit::ToView(declared.outputs[i]->name)));
    signature.outputs.push_back(std::move(info));
  }
  return signature;
}

std::string Placeholders(TF_Graph* graph) {
  constexpr int kNamesMax = 20;
  std::string names;
  size_t position = 0;
  int count = 0;
  while (const TF_Operation* operation = Tf().GraphNextOperation(graph, &position)) {
    if (std::string_view(Tf().OperationOpType(const_cast<TF_Operation*>(operation))) != "Placeholder") continue;
    if (++count > kNamesMax) return names + ", ...";
    names += (names.empty() ? "" : ", ") + std::string(Tf().OperationName(const_cast<TF_Operation*>(operation)));
  }
  return names.empty() ? "none" : names;
}

}  // namespace

base::Result<TF_Output> FindTensor(TF_Graph* graph, std::string_view tensor) {
  std::string name(tensor);
  int index = 0;
  if (const size_t colon = tensor.rfind(':'); colon != std::string_view::npos) {
    const std::string_view number = tensor.substr(colon + 1);
    const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), index);
    if (error == std::errc() && end == number.data() + number.size()) name.resize(colon);
  }
  TF_Operation* operation = Tf().GraphOperationByName(graph, name.c_str());
  if (operation == nullptr) {
    return std::unexpected(base::InvalidArgument("the graph has no operator '" + name + "'"));
  }
  if (index < 0 || index >= Tf().OperationNumOutputs(operation)) {
    return std::unexpected(base::InvalidArgument("operator '" + name + "' has " +
                                                 std::to_string(Tf().OperationNumOutputs(operation)) +
                                                 " outputs: there is no '" + std::string(tensor) + "'"));
  }
  return TF_Output{operation, index};
}

base::Result<TensorInfo> DescribeTensor(TF_Graph* graph, std::string_view name) {
  TensorInfo info;
  info.name = info.tensor = name;
  INFERD_ASSIGN_OR_RETURN(const TF_Output output, FindTensor(graph, info.tensor));
  info.type = WithoutReference(Tf().OperationOutputType(output));
  const TfStatus status;
  const int rank = Tf().GraphGetTensorNumDims(graph, output, status.get());
  INFERD_RETURN_IF_ERROR(status.Take());
  info.known_rank = rank >= 0;
  info.shape.resize(std::max(rank, 0));
  if (rank > 0) Tf().GraphGetTensorShape(graph, output, info.shape.data(), rank, status.get());
  INFERD_RETURN_IF_ERROR(status.Take());
  return info;
}

base::Result<OpenedGraph> OpenSavedModel(const std::filesystem::path& folder, const SessionSettings& settings,
                                         int compute_threads) {
  INFERD_ASSIGN_OR_RETURN(const SessionOptionsOwner options, MakeOptions(settings, compute_threads));
  std::vector<const char*> tags;
  for (const std::string& tag : settings.tags) tags.push_back(tag.c_str());
  OpenedGraph opened;
  opened.graph.reset(Tf().NewGraph());
  const BufferOwner meta_graph(Tf().NewBuffer());
  const TfStatus status;
  opened.session.reset(Tf().LoadSessionFromSavedModel(options.get(), nullptr, folder.c_str(), tags.data(),
                                                      static_cast<int>(tags.size()), opened.graph.get(),
                                                      meta_graph.get(), status.get()));
  INFERD_RETURN_IF_ERROR(status.Take());
  INFERD_ASSIGN_OR_RETURN(opened.signatures, ReadSignatureDefs(Bytes(*meta_graph)));
  INFERD_RETURN_IF_ERROR(PutFirst(settings.signature, opened.signatures));
  opened.chosen = !settings.signature.empty();
  INFERD_ASSIGN_OR_RETURN(opened.shown, ReadSignatureDefs(Bytes(*meta_graph), SignatureUse::kTensorFlow));
  NoteOperators(Bytes(*meta_graph), &opened);
  return opened;
}

base::Result<OpenedGraph> OpenFrozenGraph(const std::filesystem::path& file, const inferd_signature& declared,
                                          const SessionSettings& settings, int compute_threads) {
  INFERD_ASSIGN_OR_RETURN(const BufferOwner graph_def, ReadGraph(file));
  OpenedGraph opened;
  opened.graph.reset(Tf().NewGraph());
  const ImportGraphDefOptionsOwner import(Tf().NewImportGraphDefOptions());
  const TfStatus status;
  Tf().GraphImportGraphDef(opened.graph.get(), graph_def.get(), import.get(), status.get());
  INFERD_RETURN_IF_ERROR(status.Take());
  if (declared.input_count == 0 || declared.output_count == 0) {
    return std::unexpected(base::InvalidArgument(
        "a graph does not say what its inputs and outputs are: the configuration has to. Its placeholders: " +
        Placeholders(opened.graph.get())));
  }
  INFERD_ASSIGN_OR_RETURN(SignatureDef signature, DescribeAll(opened.graph.get(), declared));
  opened.signatures.push_back(std::move(signature));
  INFERD_ASSIGN_OR_RETURN(const SessionOptionsOwner options, MakeOptions(settings, compute_threads));
  opened.session.reset(Tf().NewSession(opened.graph.get(), options.get(), status.get()));
  INFERD_RETURN_IF_ERROR(status.Take());
  NoteOperators(Bytes(*graph_def), &opened);
  return opened;
}

}  // namespace inferd::tensorflow

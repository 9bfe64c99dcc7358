#include "engines/tensorflow/graph_function.h"

#include <string>
#include <utility>

#include "engines/kit/parameters.h"
#include "engines/tensorflow/element_type.h"

namespace inferd::tensorflow {

namespace {

base::Result<kit::TensorDescription> Describe(const TensorInfo& info) {
  kit::TensorDescription tensor{.name = info.name, .datatype = ToDatatype(info.type), .shape = info.shape};
  if (tensor.datatype == INFERD_TYPE_INVALID) {
    return std::unexpected(base::Unimplemented("tensor '" + info.name + "' has elements of type " +
                                               ElementTypeName(info.type) + ", which no protocol carries"));
  }
  tensor.any_shape = true;  // any shape that the operators accept
  tensor.unknown_rank = !info.known_rank;
  tensor.alignment = info.type == TF_STRING ? 1 : kInputAlignment;
  return tensor;
}

base::Result<TensorInfo> Find(TF_Graph* graph, std::string_view name, const std::string& fault) {
  auto info = DescribeTensor(graph, name);
  if (!info.has_value()) return std::unexpected(base::NotFound(fault));
  return info;
}

base::Status AddTensor(TF_Graph* graph, const TensorInfo& info, std::vector<GraphTensor>& list) {
  INFERD_ASSIGN_OR_RETURN(const TF_Output output, FindTensor(graph, info.tensor));
  list.push_back({.output = output, .type = info.type, .name = info.name});
  return base::OkStatus();
}

base::Status AddTargets(TF_Graph* graph, const inferd_graph_call& call, TfFunction& function) {
  std::string missing;
  for (size_t i = 0; i < call.target_count; ++i) {
    const std::string name(kit::ToView(call.targets[i]));
    const TF_Operation* const operation = Tf().GraphOperationByName(graph, name.c_str());
    if (operation == nullptr) missing += (missing.empty() ? "" : ", ") + name;
    function.targets.push_back(operation);
  }
  if (missing.empty()) return base::OkStatus();
  return base::NotFound("PruneForTargets: Some target nodes not found: " + missing);
}

}  // namespace

base::Result<TfFunction> DescribeCall(TF_Graph* graph, const inferd_graph_call& call) {
  TfFunction function;
  for (size_t i = 0; i < call.feed_count; ++i) {
    const std::string name(kit::ToView(call.feeds[i]));
    INFERD_ASSIGN_OR_RETURN(const TensorInfo info, Find(graph, name, "FeedInputs: unable to find feed output " + name));
    INFERD_ASSIGN_OR_RETURN(kit::TensorDescription tensor, Describe(info));
    INFERD_RETURN_IF_ERROR(AddTensor(graph, info, function.inputs));
    function.signature.AddInput(std::move(tensor));
  }
  for (size_t i = 0; i < call.fetch_count; ++i) {
    const std::string name(kit::ToView(call.fetches[i]));
    INFERD_ASSIGN_OR_RETURN(const TensorInfo info, Find(graph, name, "FetchOutputs node " + name + ": not found"));
    INFERD_ASSIGN_OR_RETURN(kit::TensorDescription tensor, Describe(info));
    INFERD_RETURN_IF_ERROR(AddTensor(graph, info, function.outputs));
    function.signature.AddOutput(std::move(tensor));
  }
  INFERD_RETURN_IF_ERROR(AddTargets(graph, call, function));
  return function;
}

}  // namespace inferd::tensorflow

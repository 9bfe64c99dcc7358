#include "engines/openvino/graph_outputs.h"

#include <string>
#include <utility>

#include "engines/kit/parameters.h"

namespace inferd::openvino {

namespace {

base::Result<ov::Output<ov::Node>> FindTensor(const ov::Model& graph, const std::string& name) {
  const std::string of_operator = name.ends_with(":0") ? name.substr(0, name.size() - 2) : name;
  for (const auto& node : graph.get_ordered_ops()) {
    if (node->get_output_size() == 0 || ov::is_type<ov::op::v0::Result>(node)) continue;
    for (const auto& output : node->outputs()) {
      const auto& names = output.get_names();
      if (names.contains(name) || names.contains(of_operator + ":0")) return output;
    }
    if (node->get_friendly_name() == of_operator) return node->output(0);
  }
  return std::unexpected(base::InvalidArgument("the graph has no operator for output '" + name + "'"));
}

}  // namespace

base::Result<std::shared_ptr<ov::Model>> SelectOutputs(std::shared_ptr<ov::Model> graph,
                                                       const inferd_signature& declared) {
  if (declared.output_count == 0) return graph;
  ov::OutputVector wanted;
  for (size_t i = 0; i < declared.output_count; ++i) {
    const std::string name(kit::ToView(declared.outputs[i]->name));
    INFERD_ASSIGN_OR_RETURN(ov::Output<ov::Node> tensor, FindTensor(*graph, name));
    // Clients use the configuration's name.
    tensor.get_tensor().add_names({name});
    wanted.push_back(std::move(tensor));
  }
  return std::make_shared<ov::Model>(wanted, graph->get_friendly_name());
}

}  // namespace inferd::openvino

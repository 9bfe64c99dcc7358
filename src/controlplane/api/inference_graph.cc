#include "controlplane/api/inference_graph.h"

#include <algorithm>
#include <utility>

#include "controlplane/api/field_types.h"

namespace inferd::controlplane {

namespace {

using manifest::Fields;

InferenceGraph::Step ReadStep(Fields& fields) {
  InferenceGraph::Step step;
  step.path = fields.path();
  step.position = fields.value().position();
  fields.Read("name", step.name);
  fields.Read("nodeName", step.node_name);
  fields.Read("serviceName", step.service_name);
  fields.Read("serviceUrl", step.service_url);
  fields.Read("data", step.data);
  fields.Read("weight", step.weight);
  fields.Read("condition", step.condition);
  fields.Read("dependency", step.dependency);
  return step;
}

void ReadNodes(Fields& nodes, InferenceGraph& graph) {
  for (const manifest::Member& member : nodes.value().members()) {
    std::optional<Fields> fields = nodes.Map(member.key);
    if (!fields.has_value()) continue;
    InferenceGraph::Node& node = graph.nodes.emplace_back();
    node.path = fields->path();
    node.position = member.value.position();
    node.name = member.key;
    fields->Read("routerType", node.router_type);
    for (Fields step : fields->Maps("steps")) node.steps.push_back(ReadStep(step));
  }
}

}  // namespace

const InferenceGraph::Node* InferenceGraph::FindNode(std::string_view name) const {
  const auto found = std::ranges::find(nodes, name, &Node::name);
  return found == nodes.end() ? nullptr : &*found;
}

InferenceGraph ReadInferenceGraph(manifest::Value document, manifest::Problems& problems) {
  InferenceGraph graph;
  graph.document = std::move(document);
  Fields object(graph.document, "", problems);
  graph.metadata = ReadObjectMeta(object, true);
  std::optional<Fields> spec = object.Map("spec");
  if (!spec.has_value()) {
    if (object.Find("spec") == nullptr) object.Fail("spec", "is required");
    return graph;
  }
  spec->Read("timeout", graph.timeout_s);
  if (std::optional<Fields> nodes = spec->Map("nodes")) ReadNodes(*nodes, graph);
  CheckFieldTypes("InferenceGraph", object);
  return graph;
}

}  // namespace inferd::controlplane

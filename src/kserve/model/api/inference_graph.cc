#include "kserve/model/api/inference_graph.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "kserve/model/api/empty_values.h"
#include "kserve/model/api/field_types.h"
#include "kserve/model/api/pod_spec.h"

namespace inferd::model {

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

void ReadRouterTimeouts(Fields& fields, InferenceGraph::RouterTimeouts& timeouts) {
  fields.Read("serverRead", timeouts.server_read);
  fields.Read("serverWrite", timeouts.server_write);
  fields.Read("serverIdle", timeouts.server_idle);
  fields.Read("serviceClient", timeouts.service_client);
}

// Kubernetes: PodSpec. The fields of it that graphs have (KServe 0.15).
constexpr std::array<std::string_view, 5> kPodFields = {"affinity", "tolerations", "nodeSelector", "nodeName",
                                                        "serviceAccountName"};

void ReadPods(Fields& spec, InferenceGraph& graph) {
  ReadScaling(spec, graph.scaling);
  CheckResources(spec);
  CheckPodSpec(spec);
  std::string node_name;
  spec.Read("nodeName", node_name);
  const auto resources = spec.Map("resources");
  if (resources.has_value() && !IsUnset(resources->value())) graph.resources = WithoutNulls(resources->value());
  for (const std::string_view key : kPodFields) {
    if (const manifest::Value* const value = spec.Find(key)) graph.pod_spec.Set(key, WithoutNulls(*value));
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
  if (auto timeouts = spec->Map("routerTimeouts")) ReadRouterTimeouts(*timeouts, graph.router_timeouts);
  ReadPods(*spec, graph);
  if (std::optional<Fields> nodes = spec->Map("nodes")) ReadNodes(*nodes, graph);
  CheckFieldTypes("InferenceGraph", object);
  return graph;
}

}  // namespace inferd::model

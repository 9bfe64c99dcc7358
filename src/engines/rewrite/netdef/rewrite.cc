#include "engines/rewrite/netdef/rewrite.h"

#include <algorithm>

#include "engines/rewrite/netdef/graph/graph.h"
#include "engines/rewrite/netdef/graph/net_def.h"
#include "engines/rewrite/netdef/graph/step.h"
#include "engines/rewrite/netdef/operators/rules.h"

namespace inferd::netdef {

namespace {

std::string Quoted(std::string_view name) { return "'" + std::string(name) + "'"; }

// Returns an operator's position: "model.netdef: operator 3, Conv, which makes 'conv1'". The first is 0.
std::string PlaceOf(const NetFile& file, size_t index, const Operator& op) {
  std::string place = std::string(file.name) + ": operator " + std::to_string(index) + ", " + std::string(op.type);
  if (!op.name.empty()) place += " " + Quoted(op.name);
  if (!op.outputs.empty()) place += ", which makes " + Quoted(op.outputs[0]);
  return place;
}

base::Status WriteOperators(const NetFile& file, const Net& net, Graph* graph) {
  for (size_t i = 0; i < net.operators.size(); ++i) {
    const Operator& op = net.operators[i];
    const Rule* const rule = FindRule(op.type);
    if (rule == nullptr) {
      return base::InvalidArgument("operators of this type are not supported").WithContext(PlaceOf(file, i, op));
    }
    Step step(op, rule->onnx, graph);
    rule->write(step);
    if (const base::Status status = step.args().Finish(); !status.ok()) return status.WithContext(PlaceOf(file, i, op));
  }
  return base::OkStatus();
}

base::Result<Net> Read(const NetFile& file) {
  auto net = ReadNet(file.bytes);
  if (!net.has_value()) return std::unexpected(net.error().WithContext(file.name));
  return net;
}

bool Has(const std::vector<std::string_view>& names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

// Call once the init net is written.
base::Status AddInputs(const NetFile& predict, const Net& net, const NetFile& init, std::span<const NetInput> inputs,
                       Graph* graph) {
  std::string open;
  for (const std::string_view name : net.external_inputs) {
    if (graph->Find(name) == nullptr) open += (open.empty() ? "" : ", ") + Quoted(name);
  }
  for (const NetInput& input : inputs) {
    if (!Has(net.external_inputs, input.name)) {
      return base::InvalidArgument("the configuration has an input " + Quoted(input.name) + ", which " +
                                   std::string(predict.name) + " has not: its inputs are " +
                                   (open.empty() ? "all filled by " + std::string(init.name) : open));
    }
    graph->AddInput(input.name, input.element, input.shape);
  }
  for (const std::string_view name : net.external_inputs) {
    if (graph->Find(name) != nullptr) continue;
    return base::InvalidArgument(
        std::string(predict.name) + ": input " + Quoted(name) + " is not filled by " + std::string(init.name) +
        ", and a NetDef does not state datatypes and shapes: the configuration must, as in input { name: \"" +
        std::string(name) + "\" data_type: TYPE_FP32 dims: [ 3, 224, 224 ] }");
  }
  return base::OkStatus();
}

base::Status AddOutputs(const NetFile& predict, const Net& net, std::span<const NetInput> inputs, Graph* graph) {
  if (net.external_outputs.empty()) return base::InvalidArgument(std::string(predict.name) + " has no external output");
  std::vector<std::string_view> added;
  for (const std::string_view name : net.external_outputs) {
    if (Has(added, name)) continue;
    const std::string place = std::string(predict.name) + ": output " + Quoted(name);
    if (std::ranges::find(inputs, name, &NetInput::name) != inputs.end()) {
      return base::InvalidArgument(place + " is an input, too, which is not supported");
    }
    const auto value = graph->Find(name);
    if (value == nullptr) return base::InvalidArgument(place + " is made by no operator");
    graph->AddOutput(name, *value);
    added.push_back(name);
  }
  return base::OkStatus();
}

}  // namespace

base::Result<std::string> RewriteNets(const NetFile& predict, const NetFile& init, std::span<const NetInput> inputs,
                                      uint64_t bytes_max) {
  INFERD_ASSIGN_OR_RETURN(const Net init_net, Read(init));
  INFERD_ASSIGN_OR_RETURN(const Net net, Read(predict));
  Graph graph(bytes_max);
  graph.Reserve(net.external_inputs);
  graph.Reserve(net.external_outputs);
  INFERD_RETURN_IF_ERROR(WriteOperators(init, init_net, &graph));
  INFERD_RETURN_IF_ERROR(AddInputs(predict, net, init, inputs, &graph));
  INFERD_RETURN_IF_ERROR(WriteOperators(predict, net, &graph));
  INFERD_RETURN_IF_ERROR(AddOutputs(predict, net, inputs, &graph));
  std::string model = graph.out().writer().Take(net.name.empty() ? "net" : net.name);
  if (model.size() > bytes_max) {
    return std::unexpected(base::ResourceExhausted(std::string(predict.name) + ": the model has " +
                                                   std::to_string(model.size()) + " bytes, and may have " +
                                                   std::to_string(bytes_max)));
  }
  return model;
}

std::vector<std::string_view> KnownOperators() {
  std::vector<std::string_view> types;
  for (const auto rules : AllRules()) {
    for (const Rule& rule : rules) types.push_back(rule.type);
  }
  std::ranges::sort(types);
  return types;
}

}  // namespace inferd::netdef

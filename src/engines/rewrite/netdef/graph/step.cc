#include "engines/rewrite/netdef/graph/step.h"

#include <numeric>

namespace inferd::netdef {

Step::Step(const Operator& op, std::string_view onnx, Graph* graph) : op_(op), onnx_(onnx), graph_(graph), args_(op) {
  for (const std::string_view blob : op.inputs) {
    inputs_.push_back(graph->Find(blob));
    if (inputs_.back() != nullptr) continue;
    args_.Refuse("blob '" + std::string(blob) + "' is made by nothing before it");
    inputs_.back() = std::make_shared<const Blob>();
  }
}

bool Step::Takes(size_t inputs_min, size_t inputs_max, size_t outputs_max) {
  if (inputs() < inputs_min || inputs() > inputs_max) {
    args_.Refuse("it has " + std::to_string(inputs()) + " inputs, which is not supported");
    return false;
  }
  if (outputs() < 1 || outputs() > outputs_max) {
    args_.Refuse("it has " + std::to_string(outputs()) + " outputs, which is not supported");
    return false;
  }
  return true;
}

std::vector<std::string> Step::InputNames() const {
  std::vector<std::string> names;
  for (const auto& input : inputs_) names.push_back(input->name);
  return names;
}

void Step::Emit(std::string_view type, const std::vector<std::string>& inputs, const Attributes& attributes, int rank) {
  const std::string outputs[] = {graph_->Define(op_.outputs[0], rank)};
  out().writer().Node(type, inputs, outputs, attributes);
}

void Step::EmitAll(std::string_view type, const std::vector<std::string>& inputs, const Attributes& attributes,
                   int rank) {
  std::vector<std::string> outputs;
  for (const std::string_view output : op_.outputs) outputs.push_back(graph_->Define(output, rank));
  out().writer().Node(type, inputs, outputs, attributes);
}

std::string Step::Inner(std::string_view type, const std::vector<std::string>& inputs, const Attributes& attributes) {
  return out().Node(type, inputs, attributes);
}

void Step::EmitConstant(Element element, std::vector<int64_t> shape, std::string_view raw) {
  graph_->DefineConstant(op_.outputs[0], element, std::move(shape), raw);
}

std::string Step::PerChannel(size_t i, const Blob& of) {
  const Blob& values = in(i);
  if (values.shape.has_value() && values.shape->size() <= 1 && (values.shape->empty() || values.shape->front() == 1)) {
    return values.name;
  }
  if (of.rank < 2 || values.rank != 1) {
    args_.Refuse("how many dimensions its inputs have is not known, or not what it takes");
    return values.name;
  }
  if (of.rank == 2) return values.name;
  std::vector<int64_t> axes(static_cast<size_t>(of.rank - 2));
  std::iota(axes.begin(), axes.end(), 1);
  return Inner("Unsqueeze", {values.name}, Attributes().Ints("axes", axes));
}

}  // namespace inferd::netdef

#include "engines/rewrite/mxnet/rewrite.h"

#include <algorithm>
#include <set>
#include <utility>

#include "engines/rewrite/mxnet/graph/params.h"
#include "engines/rewrite/mxnet/graph/step.h"
#include "engines/rewrite/mxnet/graph/symbol.h"
#include "engines/rewrite/mxnet/operators/rules.h"

namespace inferd::mxnet {

namespace {

constexpr int64_t kOpset = 17;
constexpr size_t kBatchNormInputs = 3;  // in files before version 0.9, which omit inputs that are not trained

std::string Quoted(std::string_view name) { return "'" + std::string(name) + "'"; }

bool IsBatchNorm(const Node& node) { return node.op == "BatchNorm" || node.op == "BatchNorm_v1"; }

// Returns the inputs of a node that are needed for results.
std::span<const Entry> ReadInputs(const Node& node) {
  const Rule* const rule = FindRule(node.op);
  const std::span<const Entry> all = node.inputs;
  return rule == nullptr ? all : all.first(std::min(all.size(), rule->inputs_max));
}

class Rewriter final {
 public:
  Rewriter(const Symbol& symbol, const Params& params, std::span<const Input> inputs, uint64_t bytes_max)
      : symbol_(symbol), params_(params), inputs_(inputs), out_(kOpset, bytes_max), values_(symbol.nodes.size()) {}

  base::Result<std::string> Write() {
    FindNeeded();
    INFERD_RETURN_IF_ERROR(AddInputs());
    for (size_t i = 0; i < symbol_.nodes.size(); ++i) {
      const Node& node = symbol_.nodes[i];
      if (!needed_[i] || node.is_variable()) continue;
      const std::string place = "node " + Quoted(node.name) + ", " + node.op;
      if (const base::Status status = WriteNode(i); !status.ok()) return std::unexpected(status.WithContext(place));
    }
    INFERD_RETURN_IF_ERROR(AddOutputs());
    return out_.writer().Take("symbol");
  }

 private:
  const Input* FindInput(std::string_view name) const {
    const auto found = std::ranges::find(inputs_, name, &Input::name);
    return found == inputs_.end() ? nullptr : &*found;
  }

  void FindNeeded() {
    needed_.assign(symbol_.nodes.size(), false);
    for (const Entry& head : symbol_.heads) needed_[head.node] = true;
    for (size_t i = symbol_.nodes.size(); i-- > 0;) {
      if (!needed_[i]) continue;
      for (const Entry& input : ReadInputs(symbol_.nodes[i])) needed_[input.node] = true;
    }
  }

  base::Status AddInputs() {
    for (size_t i = 0; i < symbol_.nodes.size(); ++i) {
      const Node& node = symbol_.nodes[i];
      if (!node.is_variable() || !needed_[i]) continue;
      if (!variables_.insert(node.name).second) {
        return base::InvalidArgument("variable " + Quoted(node.name) + " is there twice");
      }
      if (params_.contains(node.name) && FindInput(node.name) == nullptr) continue;
      INFERD_RETURN_IF_ERROR(AddInput(i));
    }
    for (const Input& input : inputs_) {
      if (input_names_.contains(input.name)) continue;
      return base::InvalidArgument("the configuration has an input " + Quoted(input.name) +
                                   ", which the symbol has not: its inputs are " + InputsAsText());
    }
    return {};
  }

  std::string InputsAsText() const {
    std::string text;
    for (const std::string& name : input_names_) text += (text.empty() ? "" : ", ") + Quoted(name);
    return text.empty() ? "all parameters" : text;
  }

  base::Status AddInput(size_t i) {
    const Node& node = symbol_.nodes[i];
    const Input* const given = FindInput(node.name);
    Input input = given != nullptr ? *given : Input{.name = node.name, .element = {}, .shape = {}};
    if (given == nullptr) INFERD_RETURN_IF_ERROR(ReadNoted(node, &input));
    out_.writer().Input(input.name, input.element, input.shape);
    if (first_input_.empty() && !input.shape.empty()) first_input_ = input.name;
    input_names_.insert(node.name);
    out_.Reserve(node.name);
    values_[i] = {{.tensor = node.name, .rank = static_cast<int>(input.shape.size()), .element = input.element}};
    return {};
  }

  // Reads the symbol's own statements about an input.
  static base::Status ReadNoted(const Node& node, Input* input) {
    const auto text = [&node](std::string_view name) {
      const auto found = node.attributes.find(name);
      return found == node.attributes.end() ? std::string_view() : std::string_view(found->second);
    };
    const auto shape = ParseTuple(text("__shape__"));
    if (!shape.has_value() || shape->empty() || shape->size() > kDimensionsMax) {
      return base::InvalidArgument(
          "input " + Quoted(node.name) +
          " is no parameter, and the symbol does not state its shape: the configuration must, as in input { name: \"" +
          node.name + "\" data_type: TYPE_FP32 dims: [ 3, 224, 224 ] }");
    }
    for (const auto& size : *shape) input->shape.push_back(size.value_or(0) > 0 ? *size : -1);
    input->shape[0] = -1;  // the batch: its size during training is irrelevant
    const auto flag = ParseTuple(text("__dtype__"));
    const int64_t number = flag.has_value() && flag->size() == 1 ? flag->front().value_or(0) : 0;
    input->element = ElementOfFlag(std::max<int64_t>(number, 0));
    if (input->element != Element::kUndefined) return {};
    return base::InvalidArgument("input " + Quoted(node.name) + " is of a datatype that is not supported");
  }

  base::Status WriteNode(size_t i) {
    const Node& node = symbol_.nodes[i];
    const Rule* const rule = FindRule(node.op);
    if (rule == nullptr) return base::InvalidArgument("operators of this name are not supported");
    std::vector<Value> inputs;
    for (const Entry& entry : ReadInputs(node)) {
      INFERD_ASSIGN_OR_RETURN(Value value, ValueOf(entry));
      inputs.push_back(std::move(value));
    }
    if (IsBatchNorm(node) && inputs.size() == kBatchNormInputs) {
      for (const std::string_view what : {"_moving_mean", "_moving_var"}) {
        INFERD_ASSIGN_OR_RETURN(Value value, ParameterOf(node.name + std::string(what)));
        inputs.push_back(std::move(value));
      }
    }
    Step step(node, std::move(inputs), rule->onnx, first_input_, &out_);
    rule->write(step);
    INFERD_RETURN_IF_ERROR(step.args().Finish());
    if (step.numbered()) numbered_.insert(i);
    values_[i] = step.TakeOutputs();
    return {};
  }

  base::Result<Value> ValueOf(const Entry& entry) {
    const Node& node = symbol_.nodes[entry.node];
    std::vector<Value>& values = values_[entry.node];
    if (node.is_variable() && values.empty()) return ParameterOf(node.name);
    if (entry.output < values.size()) return values[entry.output];
    return std::unexpected(base::InvalidArgument("output " + std::to_string(entry.output) + " of node " +
                                                 Quoted(node.name) + " is not supported"));
  }

  // A parameter is written at its first use.
  base::Result<Value> ParameterOf(const std::string& name) {
    if (const auto written = parameters_.find(name); written != parameters_.end()) return written->second;
    const auto found = params_.find(name);
    if (found == params_.end())
      return std::unexpected(base::InvalidArgument("parameter " + Quoted(name) + " is missing"));
    const Array& array = found->second;
    if (array.raw.size() > out_.bytes_left()) {
      return std::unexpected(base::ResourceExhausted("parameter " + Quoted(name) + " is more than fits into a model"));
    }
    Value value{.tensor = out_.NewName(name),
                .rank = static_cast<int>(array.shape.size()),
                .element = array.element,
                .constant = &array};
    out_.writer().Constant(value.tensor, array.element, array.shape, array.raw);
    return parameters_.emplace(name, std::move(value)).first->second;
  }

  std::string HeadName(const Entry& head) const {
    const Node& node = symbol_.nodes[head.node];
    if (node.is_variable()) return node.name;
    const auto& values = values_[head.node];
    std::string name = node.name.empty() ? "" : node.name + "_";
    name += head.output < values.size() ? values[head.output].kind : "output";
    return numbered_.contains(head.node) ? name + std::to_string(head.output) : name;
  }

  base::Status AddOutputs() {
    std::set<std::string> added;
    for (const Entry& head : symbol_.heads) {
      const std::string name = HeadName(head);
      if (input_names_.contains(name)) return base::InvalidArgument("output " + Quoted(name) + " is an input, too");
      if (!added.insert(name).second) return base::InvalidArgument("output " + Quoted(name) + " is there twice");
      INFERD_ASSIGN_OR_RETURN(const Value value, ValueOf(head));
      out_.Output(name, value.tensor);
    }
    return {};
  }

  const Symbol& symbol_;
  const Params& params_;
  const std::span<const Input> inputs_;
  onnx::GraphWriter out_;
  std::vector<bool> needed_;                // by node
  std::vector<std::vector<Value>> values_;  // outputs, by node
  std::map<std::string, Value, std::less<>> parameters_;
  std::set<std::string, std::less<>> variables_;
  std::set<std::string, std::less<>> input_names_;
  std::set<size_t> numbered_;  // nodes whose outputs' names have numbers
  std::string first_input_;
};

}  // namespace

base::Result<std::string> Rewrite(const File& symbol, const File& params, std::span<const Input> inputs,
                                  uint64_t bytes_max) {
  const auto net = ReadSymbol(symbol.bytes);
  if (!net.has_value()) return std::unexpected(net.error().WithContext(symbol.name));
  const auto arrays = ReadParams(params.bytes);
  if (!arrays.has_value()) return std::unexpected(arrays.error().WithContext(params.name));
  auto model = Rewriter(*net, *arrays, inputs, bytes_max).Write();
  if (!model.has_value()) return std::unexpected(model.error().WithContext(symbol.name));
  if (model->size() > bytes_max) {
    return std::unexpected(base::ResourceExhausted(std::string(symbol.name) + ": the model has " +
                                                   std::to_string(model->size()) + " bytes, and may have " +
                                                   std::to_string(bytes_max)));
  }
  return model;
}

std::vector<std::string_view> KnownOperators() {
  std::vector<std::string_view> names;
  for (const auto rules : AllRules()) {
    for (const Rule& rule : rules) names.push_back(rule.op);
  }
  std::ranges::sort(names);
  return names;
}

}  // namespace inferd::mxnet

#include "engines/forest/plugin/forest_signature.h"

#include <algorithm>
#include <span>
#include <string_view>
#include <utility>

#include "engines/kit/parameters.h"

namespace inferd::forest {

namespace {

using kit::ToView;

struct KindName {
  std::string_view name;
  OutputKind kind;
};

constexpr KindName kKinds[] = {{"predict", OutputKind::kPrediction},
                               {"margin", OutputKind::kMargin},
                               {"leaf", OutputKind::kLeaf},
                               {"contributions", OutputKind::kContributions}};

constexpr std::string_view kKindParameter = "output.";  // output.NAME: one of the names above

std::string_view FindParameter(const inferd_load& load, const std::string& key) {
  for (const inferd_pair& pair : std::span(load.parameters, load.parameter_count)) {
    if (ToView(pair.key) == key) return ToView(pair.value);
  }
  return {};
}

base::Result<OutputKind> KindOf(const inferd_load& load, const std::string& output, bool only) {
  const std::string_view parameter = FindParameter(load, std::string(kKindParameter) + output);
  const std::string_view name = parameter.empty() ? std::string_view(output) : parameter;
  for (const KindName& known : kKinds) {
    if (known.name == name) return known.kind;
  }
  if (only && parameter.empty()) return OutputKind::kPrediction;
  return std::unexpected(
      base::InvalidArgument("output '" + output + "' is none of predict, margin, leaf and contributions: parameter '" +
                            std::string(kKindParameter) + output + "' can say which it is" +
                            (parameter.empty() ? "" : ", and says '" + std::string(parameter) + "'")));
}

base::Status CheckFloat(std::string_view tensor, int32_t datatype) {
  if (datatype == INFERD_TYPE_FP32 || datatype == INFERD_TYPE_FP64) return {};
  return base::InvalidArgument("'" + std::string(tensor) + "' is FP32 or FP64 in a model of trees");
}

int32_t OwnDatatype(const Forest& forest) {
  return forest.sums == Precision::kFloat64 ? INFERD_TYPE_FP64 : INFERD_TYPE_FP32;
}

// `only_dimension`: a row of one element still has a dimension for it.
OutputPlan Plan(const Forest& forest, std::string name, OutputKind kind, int32_t datatype, bool only_dimension) {
  OutputPlan plan{.name = std::move(name), .kind = kind, .datatype = datatype, .shape = {-1}};
  const auto groups = static_cast<size_t>(forest.groups);
  const auto classes = static_cast<size_t>(forest.classes);
  switch (kind) {
    case OutputKind::kPrediction: plan.row_size = TransformedWidth(forest.transform, groups, classes); break;
    case OutputKind::kMargin: plan.row_size = groups; break;
    case OutputKind::kLeaf:
      plan.row_size = forest.trees.size();
      only_dimension = true;
      break;
    case OutputKind::kContributions:
      plan.row_size = groups * (static_cast<size_t>(forest.features) + 1);
      if (groups > 1) plan.shape.push_back(forest.groups);
      plan.shape.push_back(int64_t{forest.features} + 1);
      return plan;
  }
  if (plan.row_size == groups && classes > 1 && groups > classes) {
    plan.shape.insert(plan.shape.end(), {forest.groups / forest.classes, forest.classes});
  } else if (plan.row_size != 1 || only_dimension) {
    plan.shape.push_back(static_cast<int64_t>(plan.row_size));
  }
  return plan;
}

}  // namespace

base::Result<ForestSignature> ForestSignature::Create(const Forest& forest, const inferd_load& load,
                                                      int compute_threads) {
  ForestSignature signature;
  INFERD_RETURN_IF_ERROR(signature.ReadInput(load));
  INFERD_RETURN_IF_ERROR(signature.ReadOutputs(forest, load));
  // The rows of a forest never influence each other; the name of their dimension states that.
  signature.abi_.AddInput({.name = signature.input_name_,
                           .datatype = signature.input_datatype_,
                           .shape = {-1, forest.features},
                           .alignment = alignof(double),
                           .dimension_names = {"batch", ""},
                           .any_datatype = signature.ConvertsNumbers(forest)});
  for (const OutputPlan& output : signature.outputs_) {
    std::vector<std::string> names(output.shape.size());
    names[0] = "batch";
    signature.abi_.AddOutput(
        {.name = output.name, .datatype = output.datatype, .shape = output.shape, .dimension_names = std::move(names)});
  }
  constexpr int32_t kBody = 2;
  signature.abi_.AddInput({.name = kTableInput,
                           .datatype = INFERD_TYPE_BYTES,
                           .shape = {-1},
                           .optional = true,
                           .dimension_names = {"batch"},
                           .alternative = kBody});
  signature.abi_.AddOutput({.name = kTableOutput,
                            .datatype = INFERD_TYPE_BYTES,
                            .shape = {-1},
                            .optional = true,
                            .dimension_names = {"batch"},
                            .alternative = kBody});
  signature.abi_.Finish(compute_threads);
  return signature;
}

bool ForestSignature::ConvertsNumbers(const Forest& forest) const {
  return !input_declared_ && forest.compares == Precision::kFloat32;
}

bool ForestSignature::Has(OutputKind kind) const {
  return std::ranges::find(outputs_, kind, &OutputPlan::kind) != outputs_.end();
}

base::Status ForestSignature::ReadInput(const inferd_load& load) {
  const inferd_signature* const declared = load.declared;
  if (declared == nullptr || declared->input_count == 0) return {};
  if (declared->input_count > 1) return base::InvalidArgument("a model of trees has one input, rows of features");
  const inferd_tensor_spec& input = *declared->inputs[0];
  input_declared_ = true;
  input_name_ = ToView(input.name);
  if (input.datatype != INFERD_TYPE_INVALID) input_datatype_ = input.datatype;
  return CheckFloat(input_name_, input_datatype_);
}

base::Status ForestSignature::ReadOutputs(const Forest& forest, const inferd_load& load) {
  const inferd_signature* const declared = load.declared;
  if (declared == nullptr || declared->output_count == 0) {
    outputs_.push_back(Plan(forest, "predict", OutputKind::kPrediction, OwnDatatype(forest), false));
    return {};
  }
  for (const inferd_tensor_spec* const output : std::span(declared->outputs, declared->output_count)) {
    const std::string name(ToView(output->name));
    INFERD_ASSIGN_OR_RETURN(const OutputKind kind, KindOf(load, name, declared->output_count == 1));
    if (kind == OutputKind::kLeaf && !forest.weights.empty()) {
      return base::InvalidArgument("output '" + name + "': a linear model has no leaves");
    }
    int32_t datatype = kind == OutputKind::kLeaf ? int32_t{INFERD_TYPE_INT32} : OwnDatatype(forest);
    if (output->datatype != INFERD_TYPE_INVALID && kind != OutputKind::kLeaf) datatype = output->datatype;
    if (kind != OutputKind::kLeaf) INFERD_RETURN_IF_ERROR(CheckFloat(name, datatype));
    outputs_.push_back(Plan(forest, name, kind, datatype, output->rank > 1));
  }
  return {};
}

}  // namespace inferd::forest

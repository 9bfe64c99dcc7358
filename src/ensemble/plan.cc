#include "ensemble/plan.h"

#include <algorithm>
#include <string_view>

namespace inferd::ensemble {

namespace {

size_t AddTensor(Plan& plan, const std::string& name) {
  const size_t found = plan.FindTensor(name);
  if (found == plan.tensors.size()) {
    plan.tensors.push_back(name);
    plan.consumers.emplace_back();
  }
  return found;
}

std::vector<Plan::Mapping> Map(Plan& plan, const std::map<std::string, std::string>& tensors) {
  std::vector<Plan::Mapping> mapped;
  for (const auto& [of_model, of_ensemble] : tensors) mapped.emplace_back(of_model, AddTensor(plan, of_ensemble));
  return mapped;
}

bool IsMapped(const std::vector<Plan::Mapping>& mappings, std::string_view name) {
  return std::ranges::find(mappings, name, &Plan::Mapping::first) != mappings.end();
}

// Whether a tensor could have both.
bool Agree(const tensor::Shape& a, const tensor::Shape& b) {
  if (a.rank() != b.rank()) return false;
  for (size_t i = 0; i < a.rank(); ++i) {
    if (a[i] >= 0 && b[i] >= 0 && a[i] != b[i]) return false;
  }
  return true;
}

}  // namespace

tensor::Shape FullShape(tensor::Shape dims, const config::ModelConfig& config) {
  if (config.max_batch_size > 0) dims.Prepend(-1);
  return dims;
}

size_t Plan::FindTensor(std::string_view name) const {
  return static_cast<size_t>(std::ranges::find(tensors, name) - tensors.begin());
}

Plan MakePlan(const config::ModelConfig& config) {
  Plan plan;
  plan.ensemble = config.name;
  for (const config::ModelInput& input : config.inputs) plan.inputs.push_back(AddTensor(plan, input.name));
  for (const config::EnsembleStep& step : config.steps) {
    Plan::Step planned{.model = step.model,
                       .version = step.version ? std::to_string(*step.version) : std::string(),
                       .inputs = Map(plan, step.inputs),
                       .outputs = Map(plan, step.outputs)};
    for (const auto& [name, tensor] : planned.inputs) {
      std::vector<size_t>& consumers = plan.consumers[tensor];
      if (consumers.empty() || consumers.back() != plan.steps.size()) consumers.push_back(plan.steps.size());
    }
    plan.steps.push_back(std::move(planned));
  }
  for (const config::ModelOutput& output : config.outputs) plan.outputs.push_back(AddTensor(plan, output.name));
  return plan;
}

base::Status CheckStep(const Plan& plan, size_t step, const core::ModelSignature& model) {
  const Plan::Step& planned = plan.steps[step];
  const std::string where = "in ensemble " + plan.ensemble + ", step " + std::to_string(step) + ": ";
  if (model.decoupled) {
    return base::InvalidArgument(where + "model '" + planned.model +
                                 "' may give any number of responses, which ensembles do not take yet");
  }
  for (const auto& [name, tensor] : planned.inputs) {
    if (model.FindInput(name) >= 0) continue;
    return base::InvalidArgument(where + "ensemble tensor " + plan.tensors[tensor] + ": model " + planned.model +
                                 " has no input '" + name + "'");
  }
  for (const auto& [name, tensor] : planned.outputs) {
    if (model.FindOutput(name) >= 0) continue;
    return base::InvalidArgument(where + "ensemble tensor " + plan.tensors[tensor] + ": model " + planned.model +
                                 " has no output '" + name + "'");
  }
  for (const core::TensorSpec& input : model.inputs) {
    if (input.optional || IsMapped(planned.inputs, input.name)) continue;
    return base::InvalidArgument(where + "input '" + input.name + "' of model '" + planned.model +
                                 "' is not in the step's input_map");
  }
  return base::OkStatus();
}

TensorTypes::TensorTypes(const Plan& plan, const config::ModelConfig& config)
    : plan_(plan), known_(plan.tensors.size()) {
  const auto note = [&](size_t tensor, tensor::DataType datatype, const tensor::Shape& dims) {
    known_[tensor] = {.datatype = datatype, .shape = FullShape(dims, config), .of = "the ensemble"};
  };
  for (size_t i = 0; i < plan.inputs.size(); ++i)
    note(plan.inputs[i], config.inputs[i].datatype, config.inputs[i].dims);
  for (size_t i = 0; i < plan.outputs.size(); ++i) {
    note(plan.outputs[i], config.outputs[i].datatype, config.outputs[i].dims);
  }
}

base::Status TensorTypes::Add(size_t step, const core::ModelSignature& model) {
  const Plan::Step& planned = plan_.steps[step];
  const auto add = [&](const core::TensorSpec& spec, std::string_view kind, size_t tensor) {
    if (spec.unknown_rank || spec.any_shape || spec.ragged) return base::OkStatus();
    return Match(tensor, {.datatype = spec.datatype,
                          .shape = spec.shape,
                          .of = std::string(kind) + " '" + spec.name + "' of model '" + planned.model + "'"});
  };
  for (const auto& [name, tensor] : planned.inputs) {
    INFERD_RETURN_IF_ERROR(add(model.inputs[static_cast<size_t>(model.FindInput(name))], "input", tensor));
  }
  for (const auto& [name, tensor] : planned.outputs) {
    INFERD_RETURN_IF_ERROR(add(model.outputs[static_cast<size_t>(model.FindOutput(name))], "output", tensor));
  }
  return base::OkStatus();
}

base::Status TensorTypes::Match(size_t tensor, const Known& other) {
  Known& known = known_[tensor];
  const std::string where = "in ensemble " + plan_.ensemble + ", ensemble tensor " + plan_.tensors[tensor];
  if (known.datatype == tensor::DataType::kInvalid) {
    known = other;
    return base::OkStatus();
  }
  if (known.datatype != other.datatype) {
    return base::InvalidArgument(where +
                                 ": inconsistent data type: " + std::string(tensor::DataTypeName(known.datatype)) +
                                 " is inferred from " + known.of + " while " +
                                 std::string(tensor::DataTypeName(other.datatype)) + " is inferred from " + other.of);
  }
  if (!Agree(known.shape, other.shape)) {
    return base::InvalidArgument(where + ": inconsistent shape: " + known.shape.ToString() + " is inferred from " +
                                 known.of + " while " + other.shape.ToString() + " is inferred from " + other.of);
  }
  return base::OkStatus();
}

}  // namespace inferd::ensemble

#include "serving/ensemble/plan.h"

#include <algorithm>

namespace inferd::ensemble {

namespace {

size_t AddTensor(Plan& plan, const std::string& name) {
  const size_t found = plan.FindTensor(name);
  if (found == plan.tensors.size()) plan.tensors.push_back({.name = name, .consumers = {}});
  return found;
}

// `step` is the step that is being added.
void Await(Plan& plan, Plan::Step& step, size_t tensor) {
  if (std::ranges::find(step.awaits, tensor) != step.awaits.end()) return;
  step.awaits.push_back(tensor);
  plan.tensors[tensor].consumers.push_back(plan.steps.size());
}

Plan::Call ToCall(const config::EnsembleCall& call) { return {.model = call.model, .version = call.VersionText()}; }

void AddStep(Plan& plan, const config::EnsembleStep& step) {
  Plan::Step planned;
  std::vector<uint32_t> weights;
  for (const config::EnsembleCall& call : step.Calls()) {
    planned.calls.push_back(ToCall(call));
    weights.push_back(call.weight);
  }
  if (!step.choices.empty()) planned.choice.emplace(weights);
  for (const config::EnsembleCall& shadow : step.shadows) {
    planned.shadows.push_back(ToCall(shadow));
    planned.shadowed.emplace_back(std::vector<uint32_t>{shadow.weight, 100 - shadow.weight});
  }
  for (const auto& [name, tensor] : step.inputs) {
    planned.inputs.push_back({.name = name, .tensor = AddTensor(plan, tensor)});
    Await(plan, planned, planned.inputs.back().tensor);
  }
  for (const auto& [name, tensor] : step.outputs) {
    planned.outputs.push_back({.name = name, .tensor = AddTensor(plan, tensor)});
    plan.tensors[planned.outputs.back().tensor].makers.push_back(plan.steps.size());
  }
  for (const config::EnsembleCondition& condition : step.when) {
    if (!condition.of_parameter) Await(plan, planned, AddTensor(plan, condition.subject));
  }
  for (const config::EnsembleDefault& given : step.defaults) {
    if (!given.value.has_value()) Await(plan, planned, AddTensor(plan, given.tensor));
  }
  plan.steps.push_back(std::move(planned));
}

// A step is as deep as its deepest input. The loop ends, as there are no circles.
void FindDepths(Plan& plan) {
  for (bool moved = true; moved;) {
    moved = false;
    for (Plan::Step& step : plan.steps) {
      size_t depth = 0;
      for (const size_t tensor : step.awaits) depth = std::max(depth, plan.tensors[tensor].depth);
      step.depth = depth;
      for (const Plan::Output& output : step.outputs) {
        size_t& reached = plan.tensors[output.tensor].depth;
        const size_t deepest = std::max(reached, depth + (step.decoupled ? 1 : 0));
        moved |= deepest != reached;
        reached = deepest;
      }
    }
  }
}

void FillLevels(Plan& plan) {
  plan.levels.assign(1, {});
  const auto level = [&plan](size_t depth) -> Plan::Level& {
    if (plan.levels.size() <= depth) plan.levels.resize(depth + 1);
    return plan.levels[depth];
  };
  for (size_t i = 0; i < plan.steps.size(); ++i) {
    Plan::Step& step = plan.steps[i];
    step.slot = level(step.depth).steps.size();
    level(step.depth).steps.push_back(i);
  }
  for (size_t i = 0; i < plan.tensors.size(); ++i) {
    Plan::Tensor& tensor = plan.tensors[i];
    tensor.slot = level(tensor.depth).tensors.size();
    level(tensor.depth).tensors.push_back(i);
  }
}

void FillForms(Plan& plan, const std::vector<StepModels>& models) {
  plan.mixes_batching = std::ranges::any_of(models, [&](const StepModels& step) {
    return std::ranges::any_of(step, [&](const auto* model) { return (model->max_batch_size > 0) != plan.batches; });
  });
  if (!plan.mixes_batching) return;
  for (size_t i = 0; i < plan.steps.size(); ++i) {
    Plan::Step& step = plan.steps[i];
    for (size_t call = 0; call < step.calls.size(); ++call) {
      step.calls[call].takes.clear();
      for (const Plan::Input& input : step.inputs) {
        step.calls[call].takes.push_back(FormOfInput(*models[i][call], input.name));
      }
    }
  }
}

}  // namespace

tensor::Shape FullShape(tensor::Shape dims, const config::ModelConfig& config) {
  if (config.max_batch_size > 0) dims.Prepend(-1);
  return dims;
}

size_t Plan::FindTensor(std::string_view name) const {
  return static_cast<size_t>(std::ranges::find(tensors, name, &Tensor::name) - tensors.begin());
}

bool Plan::ComesOf(size_t later, size_t step) const {
  std::vector<bool> comes(steps.size());
  comes[step] = true;
  for (bool moved = true; moved;) {
    moved = false;
    for (size_t i = 0; i < steps.size(); ++i) {
      if (!comes[i]) continue;
      for (const Output& output : steps[i].outputs) {
        for (const size_t consumer : tensors[output.tensor].consumers) {
          moved |= !comes[consumer];
          comes[consumer] = true;
          if (consumer == later) return true;
        }
      }
    }
  }
  return false;
}

// Every output of a step leads to an output of the ensemble (config::FindProblems).
std::vector<bool> Plan::StepsFor(const std::vector<int>& wanted) const {
  if (wanted.size() == outputs.size()) return {};
  std::vector<bool> needed(steps.size());
  std::vector<size_t> open;
  for (const int output : wanted) open.push_back(outputs[static_cast<size_t>(output)]);
  while (!open.empty()) {
    const size_t tensor = open.back();
    open.pop_back();
    for (const size_t maker : tensors[tensor].makers) {
      if (needed[maker]) continue;
      needed[maker] = true;
      open.insert(open.end(), steps[maker].awaits.begin(), steps[maker].awaits.end());
    }
  }
  return needed;
}

Plan MakePlan(const config::ModelConfig& config) {
  Plan plan;
  plan.ensemble = config.name;
  for (const config::ModelInput& input : config.inputs) {
    plan.inputs.push_back(AddTensor(plan, input.name));
    if (!input.reshape.has_value()) continue;
    plan.reshapes.push_back(
        {.tensor = plan.inputs.back(),
         .spec = {.name = input.name, .shape = FullShape(input.dims, config), .reshape = input.reshape}});
  }
  for (const config::EnsembleStep& step : config.ensemble->steps) AddStep(plan, step);
  plan.batches = config.max_batch_size > 0;
  plan.max_batch_size = config.max_batch_size;
  for (const config::ModelOutput& output : config.outputs) {
    plan.outputs.push_back(AddTensor(plan, output.name));
    plan.tensors[plan.outputs.back()].as_output = {
        .rank = ShapeInside(output, config).rank(), .batches = plan.batches, .any_shape = false};
  }
  plan.inflight_max = config.ensemble->inflight_requests_max;
  FillLevels(plan);
  return plan;
}

void Deepen(Plan& plan, const std::vector<StepModels>& models) {
  for (size_t i = 0; i < plan.steps.size(); ++i) {
    Plan::Step& step = plan.steps[i];
    step.decoupled = std::ranges::any_of(models[i], [](const auto* model) { return model->decoupled; });
    for (Plan::Input& input : step.inputs) {
      input.required = std::ranges::any_of(models[i], [&](const core::ModelSignature* model) {
        const int index = model->FindInput(input.name);
        return index < 0 || !model->inputs[static_cast<size_t>(index)].optional;
      });
      plan.tensors[input.tensor].on_device |= std::ranges::any_of(models[i], [&](const core::ModelSignature* model) {
        const int index = model->FindInput(input.name);
        return index >= 0 && model->inputs[static_cast<size_t>(index)].takes_device_memory;
      });
    }
  }
  FillForms(plan, models);
  FindDepths(plan);
  FillLevels(plan);
}

}  // namespace inferd::ensemble

#include "serving/ensemble/plan_check.h"

#include <algorithm>
#include <string_view>

namespace inferd::ensemble {

namespace {

bool IsMapped(const std::vector<Plan::Input>& inputs, std::string_view name) {
  return std::ranges::find(inputs, name, &Plan::Input::name) != inputs.end();
}

// Returns the type as in configurations: "TYPE_FP32".
std::string TypeText(tensor::DataType type) {
  return type == tensor::DataType::kBytes ? "TYPE_STRING" : "TYPE_" + std::string(tensor::DataTypeName(type));
}

base::Status CheckRows(const Plan& plan, const std::string& name, const core::ModelSignature& model) {
  const bool limited = !model.accepts_larger_requests && !model.splits_larger_requests;
  if (model.max_batch_size == 0 || model.max_batch_size >= plan.max_batch_size || !limited) return base::OkStatus();
  return base::InvalidArgument("ensemble " + plan.ensemble + " allows maximum batch size " +
                               std::to_string(plan.max_batch_size) + ", but it contains model " + name +
                               " which only allows maximum batch size to be " + std::to_string(model.max_batch_size));
}

// Returns true if a tensor could have both shapes.
bool ShapesAgree(const tensor::Shape& a, const tensor::Shape& b) {
  if (a.rank() != b.rank()) return false;
  for (size_t i = 0; i < a.rank(); ++i) {
    if (a[i] >= 0 && b[i] >= 0 && a[i] != b[i]) return false;
  }
  return true;
}

}  // namespace

base::Status CheckStep(const Plan& plan, size_t step, const std::string& name, const core::ModelSignature& model) {
  INFERD_RETURN_IF_ERROR(CheckRows(plan, name, model));
  const Plan::Step& planned = plan.steps[step];
  const std::string ensemble = "in ensemble " + plan.ensemble + ", ";
  const std::string where = " (step " + std::to_string(step) + ")";
  for (const auto& input : planned.inputs) {
    if (model.FindInput(input.name) >= 0) continue;
    return base::InvalidArgument(ensemble + "ensemble tensor " + plan.tensors[input.tensor].name +
                                 " is mapping to non-existing input " + input.name + " in model " + name + where);
  }
  for (const auto& output : planned.outputs) {
    if (model.FindOutput(output.name) >= 0) continue;
    return base::InvalidArgument(ensemble + "ensemble tensor " + plan.tensors[output.tensor].name +
                                 " is mapped from non-existing output " + output.name + " in model " + name + where);
  }
  for (const core::TensorSpec& input : model.inputs) {
    if (input.optional || IsMapped(planned.inputs, input.name)) continue;
    return base::InvalidArgument(ensemble + "input " + input.name + " in model " + name +
                                 " is not mapped to any ensemble tensors: it is missing in input_map" + where);
  }
  return base::OkStatus();
}

base::Status CheckMakers(const Plan& plan) {
  for (size_t i = 0; i < plan.steps.size(); ++i) {
    const Plan::Step& step = plan.steps[i];
    for (const Plan::Output& output : step.outputs) {
      const Plan::Tensor& tensor = plan.tensors[output.tensor];
      if (tensor.depth == step.depth + (step.decoupled ? 1 : 0)) continue;
      return base::InvalidArgument("in ensemble " + plan.ensemble + ", step " + std::to_string(i) +
                                   ": ensemble tensor " + tensor.name +
                                   " comes of other steps too, once for each response of a model with any number of "
                                   "them, and here once");
    }
  }
  return base::OkStatus();
}

base::Status CheckStreams(const Plan& plan) {
  const std::string ensemble = "in ensemble " + plan.ensemble + ", step of model '";
  const std::string joined = "' receives inputs originated from different decoupled models";
  // By tensor: the last decoupled step on the way to it, as a number from 1. 0 if there is none, -1 if not known yet.
  std::vector<int> stream(plan.tensors.size(), -1);
  for (const size_t input : plan.inputs) stream[input] = 0;
  const auto known = [&](const Plan::Input& input) { return stream[input.tensor] >= 0; };
  for (size_t left = plan.steps.size(); left > 0; --left) {
    for (size_t i = 0; i < plan.steps.size(); ++i) {
      const Plan::Step& step = plan.steps[i];
      if (step.inputs.empty() || !std::ranges::all_of(step.inputs, known)) continue;
      const int first = stream[step.inputs.front().tensor];
      if (std::ranges::any_of(step.inputs, [&](const auto& input) { return stream[input.tensor] != first; })) {
        return base::InvalidArgument(ensemble + step.model() + joined);
      }
      for (const Plan::Output& output : step.outputs) {
        stream[output.tensor] = step.decoupled ? static_cast<int>(i) + 1 : first;
      }
    }
  }
  if (std::ranges::any_of(plan.outputs, [&](size_t tensor) { return stream[tensor] != stream[plan.outputs[0]]; })) {
    return base::InvalidArgument(ensemble + plan.ensemble + joined);
  }
  return base::OkStatus();
}

base::Status CheckHolding(Plan& plan, const StepNeeds& needs) {
  for (size_t i = 0; i < plan.steps.size(); ++i) {
    if (!plan.steps[i].decoupled) continue;
    for (size_t later = 0; later < plan.steps.size(); ++later) {
      const auto shared = std::ranges::find_if(needs[i], [&](const auto& name) { return needs[later].contains(name); });
      if (shared == needs[i].end() || !plan.ComesOf(later, i)) continue;
      plan.steps[i].may_hold = false;
      if (plan.inflight_max == 0) break;
      return base::InvalidArgument("in ensemble " + plan.ensemble + ", 'max_inflight_requests' would have model '" +
                                   plan.steps[i].model() + "' wait for itself: step " + std::to_string(later) +
                                   " needs " + *shared + ", too, and comes of step " + std::to_string(i));
    }
  }
  return base::OkStatus();
}

TensorTypes::TensorTypes(const Plan& plan, const config::ModelConfig& config)
    : plan_(plan), known_(plan.tensors.size()), made_(plan.tensors.size()) {
  const auto note = [&](size_t tensor, const auto& of) {
    known_[tensor] = {.datatype = of.datatype,
                      .shape = ShapeInside(of, config),
                      .batches = plan.batches,
                      .model = plan.ensemble,
                      .of = ""};
  };
  for (size_t i = 0; i < plan.inputs.size(); ++i) note(plan.inputs[i], config.inputs[i]);
  for (size_t i = 0; i < plan.outputs.size(); ++i) note(plan.outputs[i], config.outputs[i]);
}

base::Status TensorTypes::Add(size_t step, const std::string& name, const core::ModelSignature& model) {
  const Plan::Step& planned = plan_.steps[step];
  const auto add = [&](const core::TensorSpec& spec, std::string_view kind, size_t tensor) {
    if (spec.unknown_rank || spec.any_shape || spec.ragged) return base::OkStatus();
    return Match(tensor, {.datatype = spec.datatype,
                          .shape = spec.shape,
                          .batches = model.max_batch_size > 0,
                          .model = name,
                          .of = std::string(kind) + " '" + spec.name + "' of step " + std::to_string(step)});
  };
  for (const auto& input : planned.inputs) {
    INFERD_RETURN_IF_ERROR(add(model.inputs[static_cast<size_t>(model.FindInput(input.name))], "input", input.tensor));
  }
  for (const auto& output : planned.outputs) {
    const core::TensorSpec& spec = model.outputs[static_cast<size_t>(model.FindOutput(output.name))];
    if (!made_[output.tensor].known()) made_[output.tensor] = FormOf(spec, model);
    INFERD_RETURN_IF_ERROR(add(spec, "output", output.tensor));
  }
  return base::OkStatus();
}

tensor::Shape TensorTypes::Known::dims() const {
  return batches && shape.rank() > 0 ? tensor::Shape(shape.dims().subspan(1)) : shape;
}

bool TensorTypes::Agree(const Known& a, const Known& b) {
  return ShapesAgree(a.shape, b.shape) || ShapesAgree(a.dims(), b.dims());
}

// The known shape may come from a model or from the ensemble, whose batch dimension may differ from the maker's.
tensor::Shape TensorTypes::RowShape(size_t tensor) const {
  const Known& known = known_[tensor];
  const TensorForm& made = made_[tensor];
  const size_t rank = made.known() ? made.rank - (made.batches ? 1 : 0) : known.dims().rank();
  if (rank >= known.shape.rank()) return known.shape;
  return tensor::Shape(known.shape.dims().last(rank));
}

base::Status TensorTypes::Match(size_t tensor, const Known& other) {
  Known& known = known_[tensor];
  const std::string where = "in ensemble " + plan_.ensemble + ", ensemble tensor " + plan_.tensors[tensor].name;
  if (known.datatype == tensor::DataType::kInvalid) {
    known = other;
    return base::OkStatus();
  }
  const auto inferred = [&](const std::string& ours, const std::string& theirs) {
    return ours + " is inferred from model " + known.model + " while " + theirs + " is inferred from model " +
           other.model + " (" + (known.of.empty() ? "" : known.of + ", ") + other.of + ")";
  };
  if (known.datatype != other.datatype) {
    return base::InvalidArgument(
        where + ": inconsistent data type: " + inferred(TypeText(known.datatype), TypeText(other.datatype)));
  }
  if (!Agree(known, other)) {
    return base::InvalidArgument(where +
                                 ": inconsistent shape: " + inferred(known.shape.ToString(), other.shape.ToString()));
  }
  return base::OkStatus();
}

}  // namespace inferd::ensemble

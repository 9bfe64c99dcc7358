#include "config/ensemble_message.h"

#include <span>

namespace inferd::config {

namespace {

// Returns the version of a step or its substitute. -1 or an absent version means the latest.
template <typename Call>
std::optional<int64_t> VersionOf(const Call& call) {
  return call.model_version() > 0 ? std::optional(call.model_version()) : std::nullopt;
}

EnsembleCondition ToCondition(const inference::InferdStepOptions::Condition& from) {
  using From = inference::InferdStepOptions::Condition;
  EnsembleCondition to;
  to.of_parameter = from.subject_case() == From::kParameter;
  to.subject = to.of_parameter ? from.parameter() : from.tensor();
  switch (from.test_case()) {
    case From::kEquals: to.test = EnsembleCondition::Test::kEquals; break;
    case From::kNotEquals: to.test = EnsembleCondition::Test::kNotEquals; break;
    case From::kLess: to.test = EnsembleCondition::Test::kLess; break;
    case From::kGreater: to.test = EnsembleCondition::Test::kGreater; break;
    default: to.test = EnsembleCondition::Test::kPresent;
  }
  to.text = from.test_case() == From::kEquals ? from.equals() : from.not_equals();
  to.number = from.test_case() == From::kLess ? from.less() : from.greater();
  to.present = from.test_case() != From::kPresent || from.present();
  return to;
}

EnsembleDefault ToDefault(const inference::InferdStepOptions::Default& from) {
  EnsembleDefault to{.output = from.output(), .value = std::nullopt, .tensor = from.tensor()};
  if (from.has_value()) to.value = from.value();
  if (from.dims_size() > 0)
    to.dims = tensor::Shape(std::span<const int64_t>(from.dims().data(), static_cast<size_t>(from.dims().size())));
  return to;
}

void ReadStepOptions(const inference::InferdStepOptions& from, EnsembleStep& to) {
  for (const auto& condition : from.when()) to.when.push_back(ToCondition(condition));
  for (const auto& given : from.default_()) to.defaults.push_back(ToDefault(given));
  if (from.has_weight()) to.weight = from.weight();
  for (const auto& choice : from.choice()) {
    to.choices.push_back({.model = choice.model_name(), .version = VersionOf(choice), .weight = choice.weight()});
  }
  for (const auto& shadow : from.shadow()) {
    const uint32_t percent = shadow.has_percent() ? shadow.percent() : 100;
    to.shadows.push_back({.model = shadow.model_name(), .version = VersionOf(shadow), .weight = percent});
  }
}

EnsembleStep ToEnsembleStep(const inference::ModelEnsembling::Step& step) {
  EnsembleStep to{.model = step.model_name(), .version = VersionOf(step), .inputs = {}, .outputs = {}};
  to.inputs = {step.input_map().begin(), step.input_map().end()};
  to.outputs = {step.output_map().begin(), step.output_map().end()};
  ReadStepOptions(step.inferd(), to);
  return to;
}

}  // namespace

Ensemble ToEnsemble(const inference::ModelEnsembling& message) {
  Ensemble ensemble;
  for (const auto& step : message.step()) ensemble.steps.push_back(ToEnsembleStep(step));
  ensemble.inflight_requests_max = message.max_inflight_requests();
  return ensemble;
}

}  // namespace inferd::config

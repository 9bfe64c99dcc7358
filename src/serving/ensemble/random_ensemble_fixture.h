#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "serving/ensemble/plan.h"
#include "serving/ensemble/plan_check.h"
#include "serving/ensemble/step_options.h"

namespace inferd::ensemble {

// Makes a tensor of one element from a text, and back.
inline core::InferTensor TextTensor(const std::string& name, const std::string& text, bool batches) {
  core::InferTensor tensor;
  tensor.name = name;
  tensor.datatype = tensor::DataType::kBytes;
  tensor.shape = batches ? tensor::Shape{1, 1} : tensor::Shape{1};
  std::string packed(sizeof(uint32_t), '\0');
  const auto size = static_cast<uint32_t>(text.size());
  std::memcpy(packed.data(), &size, sizeof size);
  tensor.data = base::BufferSlice(base::Buffer::CopyOf(packed + text));
  return tensor;
}
inline std::string TextOf(const core::InferTensor& tensor) {
  return std::string(tensor.data.view().substr(sizeof(uint32_t)));
}

// A model of a random ensemble: its response k is a text made from its name, k and its inputs.
struct RandomModel {
  core::ModelSignature signature;
  std::string name;
  uint64_t fails_of = 0;  // fails for one in so many inputs; 0 for never

  std::string Text(const std::map<std::string, std::string>& inputs) const {
    std::string text = name;
    for (const auto& [input, value] : inputs) text += " " + input + "=" + value;
    return "m" + std::to_string(std::hash<std::string>{}(text) % 100'000);
  }
  bool Fails(const std::string& text) const { return fails_of != 0 && std::hash<std::string>{}(text) % fails_of == 0; }
  size_t Responses(const std::string& text) const {
    return signature.decoupled ? std::hash<std::string>{}(text) % 5 : 1;
  }
  static std::string Response(const std::string& text, size_t k, const std::string& output) {
    return text + "." + std::to_string(k) + output;
  }
};

// A random ensemble whose tensors are texts: input "in", and "flag", which is "0", "1" or omitted.
class RandomEnsemble {
 public:
  explicit RandomEnsemble(std::mt19937_64& random) : random_(random) {
    do {
      Draw();
    } while (!Complete());
  }

  const config::ModelConfig& config() const { return config_; }
  const std::vector<RandomModel>& models() const { return models_; }

  Plan MakeIt() const {
    Plan plan = MakePlan(config_);
    EXPECT_TRUE(Finish(plan).ok());
    return plan;
  }

  // Computes what a request must get: its answers, each with the `wanted` outputs (by index) in their order. nullopt if
  // a needed step fails, or if an output of an ensemble with one response is missing.
  std::optional<std::vector<std::string>> Expect(const Plan& plan, const std::map<std::string, std::string>& inputs,
                                                 const std::vector<int>& wanted) const;

 private:
  using Values = std::map<size_t, std::string>;  // tensors that exist
  struct Walk {
    const Plan& plan;
    const std::map<std::string, std::string>& given;
    std::vector<size_t> wanted;  // tensors
    std::vector<bool> needed;    // by step. Empty if all are needed
    size_t answer_depth = 0;
    bool failed = false;
    std::vector<std::string> answers;
  };

  size_t Below(size_t n) { return random_() % n; }
  bool OneIn(size_t n) { return Below(n) == 0; }
  void Draw();
  void DrawStep(std::vector<std::string>& tensors);
  bool Complete();
  base::Status Finish(Plan& plan) const;
  void Visit(Walk& walk, size_t depth, Values values) const;
  bool IsTaken(const Walk& walk, const Plan::Step& step, const Values& values) const;

  std::mt19937_64& random_;
  config::ModelConfig config_;
  std::vector<RandomModel> models_;
};

inline void RandomEnsemble::DrawStep(std::vector<std::string>& tensors) {
  auto& steps = const_cast<config::Ensemble&>(*config_.ensemble).steps;
  const std::string number = std::to_string(steps.size());
  config::EnsembleStep step{.model = "model" + number, .version = std::nullopt, .inputs = {}, .outputs = {}};
  RandomModel model{.signature = {}, .name = step.model, .fails_of = OneIn(6) ? 20U : 0U};
  model.signature.decoupled = OneIn(4);
  model.signature.max_batch_size = OneIn(3) ? 4 : 0;
  const tensor::Shape shape = model.signature.max_batch_size > 0 ? tensor::Shape{-1, 1} : tensor::Shape{1};
  const bool alternative = !steps.empty() && steps.back().when.size() == 1 &&
                           steps.back().when[0].test == config::EnsembleCondition::Test::kEquals && OneIn(2);
  // A step that gives the same tensor does not wait for it.
  std::vector<std::string> from = tensors;
  if (alternative) {
    for (const auto& [name, tensor] : steps.back().outputs) std::erase(from, tensor);
  }
  for (size_t i = 0; i < 1 + Below(2); ++i) {
    const std::string name = "i" + std::to_string(i);
    step.inputs[name] = from[Below(from.size())];
    // A request may omit the ensemble's own input.
    const bool optional = OneIn(3) || step.inputs[name] == "flag";
    model.signature.inputs.push_back(
        {.name = name, .datatype = tensor::DataType::kBytes, .shape = shape, .optional = optional});
  }
  if (alternative) {
    step.when = steps.back().when;
    step.when[0].test = config::EnsembleCondition::Test::kNotEquals;
  } else if (OneIn(3)) {
    using Test = config::EnsembleCondition::Test;
    config::EnsembleCondition when{.of_parameter = OneIn(3),
                                   .subject = "flag",
                                   .test = OneIn(2) ? Test::kEquals : Test::kNotEquals,
                                   .text = OneIn(2) ? "1" : "0"};
    if (OneIn(4)) when = {.subject = tensors[Below(tensors.size())], .test = Test::kPresent, .present = OneIn(2)};
    step.when.push_back(when);
  }
  for (size_t i = 0; i < 1 + Below(2); ++i) {
    const std::string name = "o" + std::to_string(i);
    std::string tensor = "t" + number + "_" + std::to_string(i);
    if (alternative && i == 0 && steps.back().defaults.empty()) tensor = steps.back().outputs.begin()->second;
    step.outputs[name] = tensor;
    model.signature.outputs.push_back({.name = name, .datatype = tensor::DataType::kBytes, .shape = shape});
    if (!alternative && OneIn(4)) {
      config::EnsembleDefault given{.output = name, .value = std::nullopt};
      if (OneIn(2)) {
        given.value = "default" + number;
      } else {
        given.tensor = tensors[Below(tensors.size())];
      }
      step.defaults.push_back(given);
    }
  }
  steps.push_back(step);
  models_.push_back(std::move(model));
  for (const auto& [name, tensor] : step.outputs) {
    if (std::ranges::find(tensors, tensor) == tensors.end()) tensors.push_back(tensor);
  }
}

inline void RandomEnsemble::Draw() {
  config_ = {};
  models_.clear();
  config_.name = "e";
  config_.max_batch_size = OneIn(3) ? 4 : 0;
  auto ensemble = std::make_shared<config::Ensemble>();
  ensemble->inflight_requests_max = static_cast<uint32_t>(OneIn(2) ? 0 : 1 + Below(3));
  config_.ensemble = ensemble;
  std::vector<std::string> tensors = {"in", "flag"};
  for (const std::string& name : tensors) {
    config_.inputs.push_back(
        {.name = name, .datatype = tensor::DataType::kBytes, .dims = {1}, .optional = name == "flag"});
  }
  const size_t steps = 1 + Below(7);
  for (size_t i = 0; i < steps; ++i) DrawStep(tensors);
  for (size_t i = 0; i < 1 + Below(3); ++i) {
    const std::string& name = tensors[2 + Below(tensors.size() - 2)];
    const auto known = std::ranges::find(config_.outputs, name, &config::ModelOutput::name);
    if (known != config_.outputs.end()) continue;
    config_.outputs.push_back({.name = name, .datatype = tensor::DataType::kBytes, .dims = {1}});
  }
}

inline bool RandomEnsemble::Complete() {
  Plan plan = MakePlan(config_);
  return Finish(plan).ok();
}

inline base::Status RandomEnsemble::Finish(Plan& plan) const {
  std::vector<StepModels> models;
  TensorTypes types(plan, config_);
  StepNeeds needs;
  for (size_t i = 0; i < models_.size(); ++i) {
    INFERD_RETURN_IF_ERROR(CheckStep(plan, i, models_[i].name, models_[i].signature));
    INFERD_RETURN_IF_ERROR(types.Add(i, models_[i].name, models_[i].signature));
    models.push_back({&models_[i].signature});
    needs.push_back({models_[i].name});
  }
  Deepen(plan, models);
  INFERD_RETURN_IF_ERROR(CheckMakers(plan));
  INFERD_RETURN_IF_ERROR(AddOptions(plan, *config_.ensemble, types));
  return CheckHolding(plan, needs);
}

inline bool RandomEnsemble::IsTaken(const Walk& walk, const Plan::Step& step, const Values& values) const {
  const config::EnsembleStep& written = config_.ensemble->steps[static_cast<size_t>(&step - walk.plan.steps.data())];
  for (const config::EnsembleCondition& when : written.when) {
    std::optional<std::string> value;
    if (when.of_parameter) {
      const auto given = walk.given.find("parameter");
      if (given != walk.given.end()) value = given->second;
    } else if (const auto found = values.find(walk.plan.FindTensor(when.subject)); found != values.end()) {
      value = found->second;
    }
    using Test = config::EnsembleCondition::Test;
    if (when.test == Test::kPresent && value.has_value() != when.present) return false;
    if (when.test == Test::kEquals && value != when.text) return false;
    if (when.test == Test::kNotEquals && value == when.text) return false;
  }
  return std::ranges::all_of(
      step.inputs, [&](const Plan::Input& input) { return !input.required || values.contains(input.tensor); });
}

// Visits one set of tensors and all sets below it.
inline void RandomEnsemble::Visit(Walk& walk, size_t depth, Values values) const {
  std::vector<Values> children;
  const auto child = [&](size_t k) -> Values& {
    if (children.size() <= k) children.resize(k + 1);
    return children[k];
  };
  // The steps are in a valid order: each takes only outputs of earlier steps.
  for (size_t i = 0; i < walk.plan.steps.size(); ++i) {
    const Plan::Step& step = walk.plan.steps[i];
    if (step.depth != depth || (!walk.needed.empty() && !walk.needed[i])) continue;
    std::map<std::string, std::string> inputs;
    for (const Plan::Input& input : step.inputs) {
      if (const auto found = values.find(input.tensor); found != values.end()) inputs[input.name] = found->second;
    }
    std::vector<Values> responses;
    if (IsTaken(walk, step, values)) {
      const std::string text = models_[i].Text(inputs);
      walk.failed |= models_[i].Fails(text);
      responses.resize(models_[i].Responses(text));
      for (size_t k = 0; k < responses.size(); ++k) {
        for (const auto& [name, tensor] : step.outputs) responses[k][tensor] = RandomModel::Response(text, k, name);
      }
    } else {
      Values defaults;
      const config::EnsembleStep& written = config_.ensemble->steps[i];
      for (const config::EnsembleDefault& given : written.defaults) {
        const size_t tensor = walk.plan.FindTensor(written.outputs.at(given.output));
        const auto source = values.find(walk.plan.FindTensor(given.tensor));
        if (given.value.has_value()) defaults[tensor] = *given.value;
        if (!given.value.has_value() && source != values.end()) defaults[tensor] = source->second;
      }
      if (!step.decoupled || !defaults.empty()) responses.push_back(defaults);
    }
    for (size_t k = 0; k < responses.size(); ++k) {
      Values& into = step.decoupled ? child(k) : values;
      for (const auto& [tensor, value] : responses[k]) into[tensor] = value;
    }
  }
  if (depth == walk.answer_depth) {
    std::string answer;
    bool whole = true;
    for (const size_t tensor : walk.wanted) {
      whole &= values.contains(tensor);
      if (whole) answer += values.at(tensor) + ";";
    }
    if (whole) walk.answers.push_back(answer);
    if (!whole && !walk.plan.decoupled()) walk.failed = true;
  }
  for (Values& below : children) {
    for (const auto& [tensor, value] : values) below.emplace(tensor, value);
    Visit(walk, depth + 1, below);
  }
}

inline std::optional<std::vector<std::string>> RandomEnsemble::Expect(const Plan& plan,
                                                                      const std::map<std::string, std::string>& inputs,
                                                                      const std::vector<int>& wanted) const {
  Walk walk{.plan = plan, .given = inputs, .wanted = {}, .needed = plan.StepsFor(wanted), .answers = {}};
  for (const int output : wanted) walk.wanted.push_back(plan.outputs[static_cast<size_t>(output)]);
  for (const size_t tensor : walk.wanted) walk.answer_depth = std::max(walk.answer_depth, plan.tensors[tensor].depth);
  Values values;
  for (const size_t tensor : plan.inputs) {
    if (const auto given = inputs.find(plan.tensors[tensor].name); given != inputs.end())
      values[tensor] = given->second;
  }
  Visit(walk, 0, std::move(values));
  return walk.failed ? std::nullopt : std::optional(walk.answers);
}

}  // namespace inferd::ensemble

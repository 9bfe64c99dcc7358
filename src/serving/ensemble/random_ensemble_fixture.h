#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "data/tensor/bytes.h"
#include "serving/ensemble/plan.h"
#include "serving/ensemble/plan_check.h"
#include "serving/ensemble/step_options.h"

namespace inferd::ensemble {

// How a model, or the ensemble, has a tensor: as one row ([1]), as rows that the server batches ([-1,1]), or as rows
// that it does not batch ([-1,1] too).
enum class Form { kRow, kBatch, kTable };

inline tensor::Shape ShapeOf(Form form) { return form == Form::kRow ? tensor::Shape{1} : tensor::Shape{-1, 1}; }

// The value of a tensor: a text, which stands in all its rows. Rows after the first end in their number, so that mixed
// up rows show.
struct Value {
  std::string text;
  int64_t rows = 1;
  bool flat = false;  // its shape is [1], without a dimension for rows

  tensor::Shape shape() const { return flat ? tensor::Shape{1} : tensor::Shape{rows, 1}; }
};

inline core::InferTensor ToTensor(const std::string& name, const Value& value) {
  core::InferTensor tensor;
  tensor.name = name;
  tensor.datatype = tensor::DataType::kBytes;
  tensor.shape = value.shape();
  std::string bytes;
  for (int64_t row = 0; row < value.rows; ++row) {
    const std::string text = value.text + (row == 0 ? "" : "#" + std::to_string(row));
    const auto size = static_cast<uint32_t>(text.size());
    bytes.append(reinterpret_cast<const char*>(&size), sizeof size);
    bytes += text;
  }
  tensor.data = base::BufferSlice(base::Buffer::CopyOf(bytes));
  return tensor;
}

// Reads a tensor of ToTensor(), or one whose rows are all the same: a default that stands in each row.
inline Value ToValue(const core::InferTensor& tensor) {
  Value value{.text = "", .rows = 0, .flat = tensor.shape.rank() == 1};
  for (const std::string_view text : tensor::PackedElements(tensor.data.bytes())) {
    if (value.rows == 0) value.text = text;
    const bool own = value.rows == 0 || text == value.text || text == value.text + "#" + std::to_string(value.rows);
    EXPECT_TRUE(own) << "row " << value.rows << " of " << value.text << " has " << text;
    ++value.rows;
  }
  EXPECT_EQ(tensor.shape, value.shape());
  return value;
}

// A model of a random ensemble: its response k is a text made from its name, k and its inputs.
struct RandomModel {
  core::ModelSignature signature;
  std::string name;
  Form form = Form::kRow;
  uint64_t fails_of = 0;  // fails for one in so many inputs; 0 for never
  uint64_t omits_of = 0;  // omits one in so many outputs; 0 for none

  std::string Text(const std::map<std::string, Value>& inputs) const {
    std::string text = name;
    for (const auto& [input, value] : inputs) {
      text += " " + input + "=" + value.text + "/" + std::to_string(value.rows);
    }
    return "m" + std::to_string(std::hash<std::string>{}(text) % 100'000);
  }
  bool Fails(const std::string& text) const { return fails_of != 0 && std::hash<std::string>{}(text) % fails_of == 0; }
  size_t Responses(const std::string& text) const {
    return signature.decoupled ? std::hash<std::string>{}(text) % 5 : 1;
  }
  // Returns output `output` of response k to a request with these inputs. nullopt if the model omits it.
  std::optional<Value> Response(const std::map<std::string, Value>& inputs, size_t k, const std::string& output) const {
    const std::string text = Text(inputs);
    Value value{.text = text + "." + std::to_string(k) + output, .rows = 1, .flat = form == Form::kRow};
    const uint64_t hash = std::hash<std::string>{}(value.text);
    if (omits_of != 0 && hash % omits_of == 0) return std::nullopt;
    if (form == Form::kBatch && !inputs.empty()) value.rows = inputs.begin()->second.rows;
    if (form == Form::kTable) value.rows = static_cast<int64_t>(1 + hash / 64 % 3);
    return value;
  }
};

// A random ensemble whose tensors are texts: input "in", and "flag", which is "0", "1" or omitted. Some of its models
// batch, and some do not; so may the ensemble.
class RandomEnsemble {
 public:
  explicit RandomEnsemble(std::mt19937_64& random) : random_(random) {
    do {
      Draw();
    } while (!Complete());
  }

  const config::ModelConfig& config() const { return config_; }
  const std::vector<RandomModel>& models() const { return models_; }
  Form form() const { return form_; }  // of the inputs

  Plan MakeIt() const {
    Plan plan = MakePlan(config_);
    EXPECT_TRUE(Finish(plan).ok());
    return plan;
  }

  struct Given {
    std::map<std::string, Value> inputs;
    std::optional<std::string> parameter;  // "flag"
    int64_t rows = 1;                      // of a request to an ensemble that batches
  };
  // Computes what a request must get: its answers, each with the `wanted` outputs (by index) in their order, as
  // ToText() writes them. nullopt if a needed step fails, or if an output of an ensemble with one response is missing.
  std::optional<std::vector<std::string>> Expect(const Plan& plan, const Given& given,
                                                 const std::vector<int>& wanted) const;
  // Writes an output of an answer. nullopt stands for one that a step's model omitted.
  static std::string ToText(const std::optional<Value>& output) {
    return output.has_value() ? output->text + " " + output->shape().ToString() + ";" : "omitted;";
  }

 private:
  using Values = std::map<size_t, std::optional<Value>>;  // tensors that exist; nullopt if a model omitted it
  struct Walk {
    const Plan& plan;
    const Given& given;
    std::vector<size_t> wanted;  // tensors
    std::vector<bool> needed;    // by step
    size_t answer_depth = 0;
    bool failed = false;
    std::vector<std::string> answers;
  };

  size_t Below(size_t n) { return random_() % n; }
  bool OneIn(size_t n) { return Below(n) == 0; }
  void Draw();
  void DrawStep(std::vector<std::string>& tensors);
  Form DrawForm() { return forms_[Below(forms_.size())]; }
  bool Complete();
  base::Status Finish(Plan& plan) const;
  void Visit(Walk& walk, size_t depth, Values values) const;
  std::vector<bool> NeededFor(std::set<std::string> tensors) const;
  bool IsTaken(Walk& walk, size_t step, const Values& values) const;
  std::vector<Values> Execute(Walk& walk, size_t step, const Values& values) const;
  Values DefaultsOf(const Walk& walk, size_t step, const Values& values) const;
  std::string AnswerOf(Walk& walk, const Values& values) const;

  std::mt19937_64& random_;
  std::vector<Form> forms_;  // of all models and of the ensemble
  Form form_ = Form::kRow;
  config::ModelConfig config_;
  std::vector<RandomModel> models_;
};

inline const std::optional<Value>* FindValue(const std::map<size_t, std::optional<Value>>& values, size_t tensor) {
  const auto found = values.find(tensor);
  return found != values.end() && found->second.has_value() ? &found->second : nullptr;
}

// Fits a value to a form as the server must do between models: adds a dimension for one row, or removes it. nullopt if
// there are more rows.
inline std::optional<Value> Fitted(Value value, Form form, const Plan& plan) {
  if (!plan.mixes_batching) return value;
  if (form == Form::kBatch) value.flat = false;
  if (form != Form::kRow || value.flat) return value;
  value.flat = true;
  return value.rows == 1 ? std::optional(value) : std::nullopt;
}

inline void RandomEnsemble::DrawStep(std::vector<std::string>& tensors) {
  auto& steps = const_cast<config::Ensemble&>(*config_.ensemble).steps;
  const std::string number = std::to_string(steps.size());
  config::EnsembleStep step{.model = "model" + number, .version = std::nullopt, .inputs = {}, .outputs = {}};
  RandomModel model{.signature = {},
                    .name = step.model,
                    .form = DrawForm(),
                    .fails_of = OneIn(6) ? 20U : 0U,
                    .omits_of = OneIn(4) ? 3U : 0U};
  model.signature.decoupled = OneIn(4);
  model.signature.sequences = OneIn(2);
  model.signature.max_batch_size = model.form == Form::kBatch ? 4 : 0;
  const tensor::Shape shape = ShapeOf(model.form);
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
  // Nothing takes this one.
  if (OneIn(4)) {
    model.signature.outputs.push_back({.name = "unused", .datatype = tensor::DataType::kBytes, .shape = shape});
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
  constexpr Form kRow = Form::kRow, kBatch = Form::kBatch, kTable = Form::kTable;
  const std::vector<Form> choices[] = {{kRow}, {kBatch}, {kRow, kBatch}, {kBatch, kTable}, {kRow, kBatch, kTable}};
  forms_ = choices[Below(std::size(choices))];
  form_ = DrawForm();
  config_.max_batch_size = form_ == kBatch ? 4 : 0;
  auto ensemble = std::make_shared<config::Ensemble>();
  ensemble->inflight_requests_max = static_cast<uint32_t>(OneIn(2) ? 0 : 1 + Below(3));
  config_.ensemble = ensemble;
  std::vector<std::string> tensors = {"in", "flag"};
  const auto add = [this](auto& list, const std::string& name, Form form) -> auto& {
    auto& added = list.emplace_back();
    added.name = name;
    added.datatype = tensor::DataType::kBytes;
    added.dims = form == kTable ? tensor::Shape{-1, 1} : tensor::Shape{1};
    if (!OneIn(4)) return added;
    // Clients see one more dimension.
    added.reshape = added.dims;
    added.dims = form == kTable ? tensor::Shape{-1, 1, 1} : tensor::Shape{1, 1};
    return added;
  };
  for (const std::string& name : tensors) add(config_.inputs, name, form_).optional = name == "flag";
  const size_t steps = 1 + Below(7);
  for (size_t i = 0; i < steps; ++i) DrawStep(tensors);
  for (size_t i = 0; i < 1 + Below(3); ++i) {
    const std::string& name = tensors[2 + Below(tensors.size() - 2)];
    const auto known = std::ranges::find(config_.outputs, name, &config::ModelOutput::name);
    if (known != config_.outputs.end()) continue;
    add(config_.outputs, name, form_ == kBatch ? kBatch : OneIn(2) ? kTable : kRow);
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

// A condition that compares a tensor of several rows fails the request.
inline bool RandomEnsemble::IsTaken(Walk& walk, size_t step, const Values& values) const {
  for (const config::EnsembleCondition& when : config_.ensemble->steps[step].when) {
    std::optional<std::string> value;
    using Test = config::EnsembleCondition::Test;
    if (when.of_parameter) {
      value = walk.given.parameter;
    } else if (const auto* const found = FindValue(values, walk.plan.FindTensor(when.subject))) {
      value = (*found)->text;
      if (when.test != Test::kPresent && (*found)->rows != 1) {
        walk.failed = true;
        return false;
      }
    }
    if (when.test == Test::kPresent && value.has_value() != when.present) return false;
    if (when.test == Test::kEquals && value != when.text) return false;
    if (when.test == Test::kNotEquals && value == when.text) return false;
  }
  return std::ranges::all_of(walk.plan.steps[step].inputs, [&](const Plan::Input& input) {
    return !input.required || FindValue(values, input.tensor) != nullptr;
  });
}

// Returns the responses of a step that is taken.
inline std::vector<RandomEnsemble::Values> RandomEnsemble::Execute(Walk& walk, size_t step,
                                                                   const Values& values) const {
  const RandomModel& model = models_[step];
  const Plan::Step& planned = walk.plan.steps[step];
  std::map<std::string, Value> inputs;
  for (const Plan::Input& input : planned.inputs) {
    const auto* const found = FindValue(values, input.tensor);
    if (found == nullptr) continue;
    const std::optional<Value> fitted = Fitted(**found, model.form, walk.plan);
    // Otherwise the model refuses it.
    const bool fits = fitted.has_value() && fitted->flat == (model.form == Form::kRow) &&
                      (model.form != Form::kBatch || inputs.empty() || fitted->rows == inputs.begin()->second.rows);
    walk.failed |= !fits;
    inputs[input.name] = fitted.value_or(**found);
  }
  const std::string text = model.Text(inputs);
  walk.failed |= model.Fails(text);
  if (walk.failed) return {};
  std::vector<Values> responses(model.Responses(text));
  for (size_t k = 0; k < responses.size(); ++k) {
    for (const auto& [name, tensor] : planned.outputs) responses[k][tensor] = model.Response(inputs, k, name);
  }
  return responses;
}

// Returns the outputs of a step that is not taken.
inline RandomEnsemble::Values RandomEnsemble::DefaultsOf(const Walk& walk, size_t step, const Values& values) const {
  const config::EnsembleStep& written = config_.ensemble->steps[step];
  const bool flat = models_[step].form == Form::kRow;
  Values defaults;
  for (const config::EnsembleDefault& given : written.defaults) {
    const size_t tensor = walk.plan.FindTensor(written.outputs.at(given.output));
    const auto* const source = FindValue(values, walk.plan.FindTensor(given.tensor));
    if (given.value.has_value()) {
      defaults[tensor] = Value{.text = *given.value, .rows = flat ? 1 : walk.given.rows, .flat = flat};
    } else if (source != nullptr) {
      defaults[tensor] = *source;
    }
  }
  return defaults;
}

// Returns the answer of one set of tensors. Empty if it lacks one.
inline std::string RandomEnsemble::AnswerOf(Walk& walk, const Values& values) const {
  const auto is_there = [&](size_t tensor) { return values.contains(tensor); };
  if (!std::ranges::all_of(walk.wanted, is_there)) return "";
  std::string answer;
  for (const size_t tensor : walk.wanted) {
    std::optional<Value> output = values.at(tensor);
    if (output.has_value()) {
      const Plan::Tensor& planned = walk.plan.tensors[tensor];
      const Form form = walk.plan.batches ? Form::kBatch : planned.as_output.rank == 1 ? Form::kRow : Form::kTable;
      output = Fitted(*output, form, walk.plan);
      walk.failed |= !output.has_value();
    }
    answer += ToText(output);
  }
  return answer;
}

// Visits one set of tensors and all sets below it.
inline void RandomEnsemble::Visit(Walk& walk, size_t depth, Values values) const {
  std::vector<Values> children;
  // The steps are in a valid order: each takes only outputs of earlier steps.
  for (size_t i = 0; i < walk.plan.steps.size(); ++i) {
    const Plan::Step& step = walk.plan.steps[i];
    if (step.depth != depth || !walk.needed[i]) continue;
    std::vector<Values> responses;
    if (IsTaken(walk, i, values)) {
      responses = Execute(walk, i, values);
    } else if (Values defaults = DefaultsOf(walk, i, values); !step.decoupled || !defaults.empty()) {
      responses.push_back(std::move(defaults));
    }
    if (step.decoupled && children.size() < responses.size()) children.resize(responses.size());
    for (size_t k = 0; k < responses.size(); ++k) {
      Values& into = step.decoupled ? children[k] : values;
      for (const auto& [tensor, value] : responses[k]) into[tensor] = value;
    }
  }
  if (depth == walk.answer_depth) {
    const std::string answer = AnswerOf(walk, values);
    if (!answer.empty()) walk.answers.push_back(answer);
    if (answer.empty() && !walk.plan.decoupled()) walk.failed = true;
  }
  for (Values& below : children) {
    for (const auto& [tensor, value] : values) below.emplace(tensor, value);
    Visit(walk, depth + 1, below);
  }
}

// Returns, by step, true if one of the tensors comes of it. Each step takes only what earlier ones give.
inline std::vector<bool> RandomEnsemble::NeededFor(std::set<std::string> tensors) const {
  const std::vector<config::EnsembleStep>& steps = config_.ensemble->steps;
  std::vector<bool> needed(steps.size());
  for (size_t i = steps.size(); i-- > 0;) {
    const auto is_needed = [&](const auto& output) { return tensors.contains(output.second); };
    needed[i] = std::ranges::any_of(steps[i].outputs, is_needed);
    if (!needed[i]) continue;
    for (const auto& [name, tensor] : steps[i].inputs) tensors.insert(tensor);
    for (const config::EnsembleCondition& when : steps[i].when) tensors.insert(when.of_parameter ? "" : when.subject);
    for (const config::EnsembleDefault& given : steps[i].defaults) tensors.insert(given.tensor);
  }
  return needed;
}

inline std::optional<std::vector<std::string>> RandomEnsemble::Expect(const Plan& plan, const Given& given,
                                                                      const std::vector<int>& wanted) const {
  Walk walk{.plan = plan, .given = given, .wanted = {}, .needed = {}, .answers = {}};
  std::set<std::string> names;
  for (const int output : wanted) {
    walk.wanted.push_back(plan.outputs[static_cast<size_t>(output)]);
    names.insert(config_.outputs[static_cast<size_t>(output)].name);
  }
  walk.needed = NeededFor(std::move(names));
  // FindProblems() refuses steps of which nothing comes. Here they are executed, unless something is left out.
  if (wanted.size() == config_.outputs.size()) walk.needed.assign(plan.steps.size(), true);
  for (const size_t tensor : walk.wanted) walk.answer_depth = std::max(walk.answer_depth, plan.tensors[tensor].depth);
  Values values;
  for (const size_t tensor : plan.inputs) {
    if (const auto input = given.inputs.find(plan.tensors[tensor].name); input != given.inputs.end())
      values[tensor] = input->second;
  }
  Visit(walk, 0, std::move(values));
  return walk.failed ? std::nullopt : std::optional(walk.answers);
}

}  // namespace inferd::ensemble

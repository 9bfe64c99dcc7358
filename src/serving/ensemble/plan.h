#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/status.h"
#include "config/ensemble.h"
#include "config/model/model_config.h"
#include "serving/core/model/model_signature.h"
#include "serving/ensemble/condition.h"
#include "serving/ensemble/row_fit.h"
#include "serving/ensemble/weighted_choice.h"

namespace inferd::ensemble {

// How the steps of an ensemble hang together: its tensors and steps by number. Immutable once made; shared by all
// requests.
//
// A model may give any number of responses. What comes of the first of them is another set of tensors than what comes
// of the second: tensors and steps have a depth, which is the number of such models on the way to them. Of what has
// depth 0 there is one in each request, of what has depth 1 one for each response, and so on (Board).
struct Plan {
  struct Input {
    std::string name;      // of the step's model
    size_t tensor = 0;     // the ensemble's
    bool required = true;  // the model does not go without
  };
  struct Output {
    std::string name;
    size_t tensor = 0;
  };
  // A model that a step calls.
  struct Call {
    std::string model;
    std::string version;  // decimal; empty: the latest
    // By Step::inputs, how the model takes them; none where all models of the ensemble batch, or none does.
    std::vector<TensorForm> takes = {};
  };
  struct When {
    std::string parameter;  // empty: of a tensor
    size_t tensor = 0;
    std::string text;  // the condition in words
    Condition condition;
  };
  // What an output is where the step is not taken.
  struct Default {
    std::string output = {};       // of the step's model
    size_t source = 0;             // which tensor it is, unless there is a value
    core::InferTensor value = {};  // of no datatype: none
    bool per_row = false;          // the value is one row of a batch
  };
  struct Step {
    std::vector<Call> calls;               // its own model, then those that it chooses from
    std::optional<WeightedChoice> choice;  // among them; none: there is one
    std::vector<Call> shadows;
    std::vector<WeightedChoice> shadowed;  // by shadow: 0: this request has it
    std::vector<Input> inputs;
    std::vector<Output> outputs;
    std::vector<When> conditions;  // all must hold
    std::vector<Default> defaults;
    std::vector<size_t> awaits;  // tensors without which it is not known whether it is taken; each once
    bool decoupled = false;      // any number of responses: its outputs are one deeper than itself
    bool may_hold = true;        // its model may be told to wait for the steps behind it: none of them needs it
    size_t depth = 0;
    size_t slot = 0;  // its place among the steps of its depth

    const std::string& model() const { return calls.front().model; }
  };
  struct Tensor {
    std::string name;
    std::vector<size_t> consumers;    // the steps that await it
    std::vector<size_t> makers = {};  // the steps that give it; none: an input of the ensemble
    bool on_device = false;           // a step's model takes it in memory of a device
    TensorForm as_output = {};        // of the ensemble's outputs: how the ensemble gives it
    size_t depth = 0;
    size_t slot = 0;  // its place among the tensors of its depth
  };
  struct Level {
    std::vector<size_t> steps;
    std::vector<size_t> tensors;
  };

  // An input of the ensemble that its steps see in another shape than clients.
  struct Reshape {
    size_t tensor = 0;
    core::TensorSpec spec;
  };

  std::string ensemble;  // its name
  std::vector<Step> steps;
  std::vector<Tensor> tensors;
  std::vector<Level> levels;    // by depth; at least one
  std::vector<size_t> inputs;   // the tensors that the ensemble's inputs are, in the configuration's order
  std::vector<size_t> outputs;  // and its outputs
  std::vector<Reshape> reshapes;
  bool batches = false;
  int64_t max_batch_size = 0;
  bool mixes_batching = false;  // some of the steps' models batch and others do not, or the ensemble differs from them
  size_t inflight_max = 0;      // responses to one request of a step that go on at a time; 0: any number

  bool decoupled() const { return levels.size() > 1; }
  size_t FindTensor(std::string_view name) const;  // tensors.size(): there is none
  // Whether `later` takes anything that comes of `step`.
  bool ComesOf(size_t later, size_t step) const;
  // Returns, by step, whether any of the outputs (by their place in `outputs`) needs it. Empty if all steps are needed.
  std::vector<bool> StepsFor(const std::vector<int>& wanted) const;
};

// With the batch dimension, where the ensemble has one.
tensor::Shape FullShape(tensor::Shape dims, const config::ModelConfig& config);
// Returns the shape in which the steps see an input or output of the ensemble.
template <typename Tensor>
tensor::Shape ShapeInside(const Tensor& tensor, const config::ModelConfig& config) {
  return FullShape(tensor.reshape.value_or(tensor.dims), config);
}

// Of a configuration without problems (config::FindProblems). No step has more than one response yet.
Plan MakePlan(const config::ModelConfig& config);

// What the models of a step are: its own, then those that it chooses from.
using StepModels = std::vector<const core::ModelSignature*>;

// Fills in what is up to the steps' models, but for Step::may_hold, conditions and defaults. A tensor whose model takes
// it on a device stays there between the steps; what takes it otherwise has it brought to the CPU.
void Deepen(Plan& plan, const std::vector<StepModels>& models);

}  // namespace inferd::ensemble

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

// The structure of an ensemble: its tensors and steps, by number. Immutable once made; shared by all requests.
//
// A model may give any number of responses. Each response gets its own set of tensors for everything that follows from
// it. So tensors and steps have a depth: the number of such models on the way to them. A request has one of each at
// depth 0, one per response at depth 1, and so on (Board).
struct Plan {
  struct Input {
    std::string name;      // of the step's model
    size_t tensor = 0;     // the ensemble's
    bool required = true;  // the model needs it
  };
  struct Output {
    std::string name;
    size_t tensor = 0;
  };
  // A model that a step calls.
  struct Call {
    std::string model;
    std::string version;  // decimal. Empty for the latest
    // By Step::inputs: the form in which the model takes each. Empty if all models of the ensemble batch, or none does.
    std::vector<TensorForm> takes = {};
  };
  struct When {
    std::string parameter;  // empty if the subject is a tensor
    size_t tensor = 0;
    std::string text;  // the condition in words
    Condition condition;
  };
  // The value of an output if the step is not taken.
  struct Default {
    std::string output = {};       // of the step's model
    size_t source = 0;             // the tensor to use, unless `value` is set
    core::InferTensor value = {};  // has no datatype if not set
    bool per_row = false;          // the value is one row of a batch
  };
  struct Step {
    std::vector<Call> calls;               // its own model, then its alternatives
    std::optional<WeightedChoice> choice;  // among `calls`. nullopt if there is one
    std::vector<Call> shadows;
    std::vector<WeightedChoice> shadowed;  // by shadow. A choice of 0 means that the request has it
    std::vector<Input> inputs;
    std::vector<Output> outputs;
    std::vector<When> conditions;  // all must hold
    std::vector<Default> defaults;
    std::vector<size_t> awaits;  // tensors needed to decide whether it is taken; each once
    bool decoupled = false;      // any number of responses; its outputs are one deeper than the step
    bool may_hold = true;        // its model may wait for later steps: none of them needs it
    size_t depth = 0;
    size_t slot = 0;  // its index among the steps of its depth

    const std::string& model() const { return calls.front().model; }
  };
  struct Tensor {
    std::string name;
    std::vector<size_t> consumers;    // the steps that await it
    std::vector<size_t> makers = {};  // the steps that give it. Empty for the ensemble's inputs
    bool on_device = false;           // a step's model takes it in device memory
    TensorForm as_output = {};        // for outputs of the ensemble: the form for clients
    size_t depth = 0;
    size_t slot = 0;  // its index among the tensors of its depth
  };
  struct Level {
    std::vector<size_t> steps;
    std::vector<size_t> tensors;
  };

  // An input whose shape differs between clients and steps.
  struct Reshape {
    size_t tensor = 0;
    core::TensorSpec spec;
  };

  std::string ensemble;  // its name
  std::vector<Step> steps;
  std::vector<Tensor> tensors;
  std::vector<Level> levels;    // by depth; at least one
  std::vector<size_t> inputs;   // the tensors of the ensemble's inputs, in the configuration's order
  std::vector<size_t> outputs;  // likewise for its outputs
  std::vector<Reshape> reshapes;
  bool batches = false;
  int64_t max_batch_size = 0;
  bool mixes_batching = false;  // some models of the ensemble, or itself, batch and others do not
  size_t inflight_max = 0;      // a step's responses in flight per request; 0 for no limit

  bool decoupled() const { return levels.size() > 1; }
  size_t FindTensor(std::string_view name) const;  // tensors.size() if there is none
  // Returns true if `later` depends on a result of `step`, directly or not.
  bool ComesOf(size_t later, size_t step) const;
  // Returns, by step, true if any of the outputs (indices into `outputs`) needs it. Empty if all steps are needed.
  std::vector<bool> StepsFor(const std::vector<int>& wanted) const;
};

// Adds the batch dimension if the ensemble has one.
tensor::Shape FullShape(tensor::Shape dims, const config::ModelConfig& config);
// Returns the shape in which the steps see an input or output of the ensemble.
template <typename Tensor>
tensor::Shape ShapeInside(const Tensor& tensor, const config::ModelConfig& config) {
  return FullShape(tensor.reshape.value_or(tensor.dims), config);
}

// Makes the plan of a configuration without problems (config::FindProblems). No step has several responses yet.
Plan MakePlan(const config::ModelConfig& config);

// The signatures of a step's models: its own, then its alternatives.
using StepModels = std::vector<const core::ModelSignature*>;

// Fills in what depends on the steps' models, except Step::may_hold, conditions and defaults. A tensor that some model
// takes on a device stays there between the steps; for any other consumer it is brought to the CPU.
void Deepen(Plan& plan, const std::vector<StepModels>& models);

}  // namespace inferd::ensemble

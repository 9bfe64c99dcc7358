#pragma once

#include <set>
#include <string>
#include <vector>

#include "base/status.h"
#include "serving/ensemble/plan.h"

namespace inferd::ensemble {

// Checks that a model fits the step that calls it, with errors in Triton's words. `name` is the model's name.
// INVALID_ARGUMENT if the model lacks a tensor, has a required input that is not mapped, or takes fewer rows than the
// ensemble.
base::Status CheckStep(const Plan& plan, size_t step, const std::string& name, const core::ModelSignature& model);

// Call after Deepen(). INVALID_ARGUMENT if a tensor comes from several steps of different depth: some have any number
// of responses, or follow from such steps, and others do not.
base::Status CheckMakers(const Plan& plan);

// Call after Deepen(). INVALID_ARGUMENT, in Triton's words, if a step or the ensemble's response takes tensors that
// come of different decoupled models, or of such a model and of none. The board can join these; Triton refuses them.
base::Status CheckStreams(const Plan& plan);

// By step: the names of the models and resources that its models occupy while they execute (NeedsOf).
using StepNeeds = std::vector<std::set<std::string>>;

// Call after Deepen(). Finds out which steps may hold (Plan::Step::may_hold). INVALID_ARGUMENT if a step must not hold
// but there is a limit on its responses.
base::Status CheckHolding(Plan& plan, const StepNeeds& needs);

// Collects the types of the ensemble's tensors from its configuration and its steps' models. INVALID_ARGUMENT if two
// have different datatypes, or shapes that no tensor fits, neither with nor without the batch dimension.
class TensorTypes {
 public:
  TensorTypes(const Plan& plan, const config::ModelConfig& config);
  // `name` is the name of the model that the step calls.
  base::Status Add(size_t step, const std::string& name, const core::ModelSignature& model);

  // kInvalid if neither the configuration nor a model states it.
  tensor::DataType datatype(size_t tensor) const { return known_[tensor].datatype; }
  // The dimensions of one row, in the form in which the tensor is made.
  tensor::Shape RowShape(size_t tensor) const;
  // The form in which the first of the steps that make the tensor gives it.
  const TensorForm& made(size_t tensor) const { return made_[tensor]; }

 private:
  struct Known {
    tensor::DataType datatype = tensor::DataType::kInvalid;
    tensor::Shape shape;
    bool batches = false;  // the first dimension is a batch's
    std::string model;     // the source. The ensemble for its own inputs and outputs
    std::string of;        // the model's tensor. Empty for the ensemble's own

    tensor::Shape dims() const;  // without the batch dimension
  };
  static bool Agree(const Known& a, const Known& b);
  base::Status Match(size_t tensor, const Known& other);

  const Plan& plan_;
  std::vector<Known> known_;  // by tensor; kInvalid if not known yet
  std::vector<TensorForm> made_;
};

}  // namespace inferd::ensemble

#pragma once

#include <set>
#include <string>
#include <vector>

#include "base/status.h"
#include "serving/ensemble/plan.h"

namespace inferd::ensemble {

// What a model must be for a step that calls it, in Triton's words; `name` is the model's. INVALID_ARGUMENT: a tensor
// that it does not have, an input that is not mapped, fewer rows than the ensemble takes.
base::Status CheckStep(const Plan& plan, size_t step, const std::string& name, const core::ModelSignature& model);

// Of a plan that was deepened. INVALID_ARGUMENT: a tensor comes of several steps, of which some have any number of
// responses, and some come of those.
base::Status CheckMakers(const Plan& plan);

// What the models of the steps keep for themselves while they execute, by step: their names, and those of resources.
using StepNeeds = std::vector<std::set<std::string>>;

// Of a plan that was deepened: finds out which steps may hold. INVALID_ARGUMENT: one that may not, and there is a limit
// on its responses.
base::Status CheckHolding(Plan& plan, const StepNeeds& needs);

// Collects what the ensemble's tensors are, as its configuration and its steps' models have them. INVALID_ARGUMENT
// where two have different datatypes, or shapes that no tensor fits both of, with the batch dimension or without it.
class TensorTypes {
 public:
  TensorTypes(const Plan& plan, const config::ModelConfig& config);
  // `name`: the model's, which the step calls.
  base::Status Add(size_t step, const std::string& name, const core::ModelSignature& model);

  // kInvalid: nothing says.
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
    std::string model;     // that says so. The ensemble for its own inputs and outputs
    std::string of;        // which tensor of the model. Empty for the ensemble's own

    tensor::Shape dims() const;  // without the batch dimension
  };
  static bool Agree(const Known& a, const Known& b);
  base::Status Match(size_t tensor, const Known& other);

  const Plan& plan_;
  std::vector<Known> known_;  // by tensor; kInvalid: nothing yet
  std::vector<TensorForm> made_;
};

}  // namespace inferd::ensemble

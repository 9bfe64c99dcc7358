#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "base/status.h"
#include "config/model/model_config.h"
#include "core/model/model_signature.h"

namespace inferd::ensemble {

// How the steps of an ensemble hang together: its tensors by number. Immutable; shared by all requests.
struct Plan {
  // A tensor of the step's model, and the ensemble's.
  using Mapping = std::pair<std::string, size_t>;

  struct Step {
    std::string model;
    std::string version;  // decimal; empty: the latest
    std::vector<Mapping> inputs;
    std::vector<Mapping> outputs;
  };

  std::string ensemble;  // its name
  std::vector<Step> steps;
  std::vector<std::string> tensors;            // their names
  std::vector<std::vector<size_t>> consumers;  // by tensor: the steps that take it, each once
  std::vector<size_t> inputs;   // the tensors that the ensemble's inputs are, in the configuration's order
  std::vector<size_t> outputs;  // and its outputs

  size_t FindTensor(std::string_view name) const;  // tensors.size(): there is none
};

// With the batch dimension, where the ensemble has one.
tensor::Shape FullShape(tensor::Shape dims, const config::ModelConfig& config);

// Of a configuration without problems (config::FindProblems).
Plan MakePlan(const config::ModelConfig& config);

// What a step's model must be for its step, in Triton's words; `model` is the step's. INVALID_ARGUMENT: a tensor that
// it does not have, an input that is not mapped, a decoupled model.
base::Status CheckStep(const Plan& plan, size_t step, const core::ModelSignature& model);

// Collects what the ensemble's tensors are, as its configuration and its steps' models have them. INVALID_ARGUMENT
// where two have different datatypes, or shapes that no tensor fits both of.
class TensorTypes {
 public:
  TensorTypes(const Plan& plan, const config::ModelConfig& config);
  base::Status Add(size_t step, const core::ModelSignature& model);

 private:
  struct Known {
    tensor::DataType datatype = tensor::DataType::kInvalid;
    tensor::Shape shape;
    std::string of;  // who says so, in words
  };
  base::Status Match(size_t tensor, const Known& other);

  const Plan& plan_;
  std::vector<Known> known_;  // by tensor; kInvalid: nothing yet
};

}  // namespace inferd::ensemble

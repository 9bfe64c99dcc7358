#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "data/tensor/shape.h"

// ensemble_scheduling: a model that is composed of others.

namespace inferd::config {

// inferd { when } of a step: a comparison of a tensor of the ensemble, or of a parameter of the request.
struct EnsembleCondition {
  enum class Test { kEquals, kNotEquals, kLess, kGreater, kPresent };

  bool of_parameter = false;
  std::string subject;  // its name
  Test test = Test::kPresent;
  std::string text = {};  // for kEquals and kNotEquals
  double number = 0;      // for kLess and kGreater
  bool present = true;    // for kPresent

  std::string ToString() const;  // "tensor 'lang' equals 'de'"
};

// Returns true if no request can fulfil both conditions. A pure function.
bool Excludes(const EnsembleCondition& a, const EnsembleCondition& b);

// inferd { default } of a step: an output's value if the step is not taken.
struct EnsembleDefault {
  std::string output;                // output of the step's model
  std::optional<std::string> value;  // for each element; if nullopt, the value of `tensor`
  std::string tensor = {};
  std::optional<tensor::Shape> dims = {};  // of `value`, without the batch dimension; the model's if nullopt
};

// A model that a step calls in place of its own, or in addition.
struct EnsembleCall {
  std::string model;
  std::optional<int64_t> version;  // the latest if nullopt
  uint32_t weight = 0;             // of a choice; for a shadow: of 100 requests

  // Returns the version as a request names it: decimal, or empty for the latest.
  std::string VersionText() const { return version.has_value() ? std::to_string(*version) : std::string(); }
};

// ModelEnsembling.Step: a model that an ensemble calls.
struct EnsembleStep {
  std::string model;
  std::optional<int64_t> version;              // the latest if nullopt
  std::map<std::string, std::string> inputs;   // the model's tensors to the ensemble's
  std::map<std::string, std::string> outputs;  // likewise
  std::vector<EnsembleCondition> when = {};    // all must hold, or the step is skipped
  std::vector<EnsembleDefault> defaults = {};
  uint32_t weight = 1;  // used if there are choices
  std::vector<EnsembleCall> choices = {};
  std::vector<EnsembleCall> shadows = {};

  // Returns the models of which one is called: the step's own, then the choices.
  std::vector<EnsembleCall> Calls() const;
};

struct Ensemble {
  std::vector<EnsembleStep> steps;
  // For a step with any number of responses: the limit on those that are processed at a time; 0 for none.
  uint32_t inflight_requests_max = 0;
};

}  // namespace inferd::config

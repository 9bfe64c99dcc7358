#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "data/tensor/shape.h"

// ensemble_scheduling: how a model is made of others.

namespace inferd::config {

// inferd { when } of a step: what a tensor of the ensemble, or a parameter of the request, is compared with.
struct EnsembleCondition {
  enum class Test { kEquals, kNotEquals, kLess, kGreater, kPresent };

  bool of_parameter = false;
  std::string subject;  // its name
  Test test = Test::kPresent;
  std::string text = {};  // of kEquals and kNotEquals
  double number = 0;      // of kLess and kGreater
  bool present = true;    // of kPresent

  std::string ToString() const;  // "tensor 'lang' equals 'de'"
};

// Whether no request has both hold. Pure.
bool Excludes(const EnsembleCondition& a, const EnsembleCondition& b);

// inferd { default } of a step: what an output is where the step is not taken.
struct EnsembleDefault {
  std::string output;                // of the step's model
  std::optional<std::string> value;  // each of its elements; nothing: what `tensor` is
  std::string tensor = {};
  std::optional<tensor::Shape> dims = {};  // of `value`, without the batch dimension; nothing: the model's
};

// A model that a step calls in place of its own, or beside it.
struct EnsembleCall {
  std::string model;
  std::optional<int64_t> version;  // nothing: the latest
  uint32_t weight = 0;             // of a choice; of a shadow: of 100 requests

  // As a request names it: decimal; empty: the latest.
  std::string VersionText() const { return version.has_value() ? std::to_string(*version) : std::string(); }
};

// ModelEnsembling.Step: a model that an ensemble calls.
struct EnsembleStep {
  std::string model;
  std::optional<int64_t> version;              // nothing: the latest
  std::map<std::string, std::string> inputs;   // the model's tensors to the ensemble's
  std::map<std::string, std::string> outputs;  // likewise
  std::vector<EnsembleCondition> when = {};    // all must hold, or the step is not taken
  std::vector<EnsembleDefault> defaults = {};
  uint32_t weight = 1;  // where there are choices
  std::vector<EnsembleCall> choices = {};
  std::vector<EnsembleCall> shadows = {};

  // The models of which one is called: its own, then the choices.
  std::vector<EnsembleCall> Calls() const;
};

struct Ensemble {
  std::vector<EnsembleStep> steps;
  // Of a step with any number of responses: how many go on at a time; 0: any number.
  uint32_t inflight_requests_max = 0;
};

}  // namespace inferd::config

#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "config/model/model_config_place.h"

// The rules of FindProblems(), by part of the configuration. For this room's sources.

namespace inferd::config {

// Returns true if a file of that name would be inside the model's folder. Checks the name only.
bool IsInside(const std::string& name);

// Returns the error text for an ensemble that calls itself. Begins with Triton's words.
inline std::string CallsItself(const std::string& model) {
  return "circular dependency between ensembles: " + model + " -> ... -> " + model + " -> " + model + ": '" + model +
         "' calls itself";
}

struct CheckContext {
  const inference::ModelConfig& config;
  Place place;
  const std::string& model;  // the model's name in error texts
  std::string_view engine;   // the engine that runs it; empty if unknown
  std::vector<Problem>& problems;
  bool absent_gpus_are_cpus = false;

  // True if max_batch_size is 0. Before completion, a model without max_batch_size may still turn out to batch.
  bool never_batches() const { return config.has_max_batch_size() && config.max_batch_size() == 0; }
};

void CheckEnsemble(CheckContext& context);  // ensemble_scheduling, and fields that contradict it
// Checks inferd { } of a step, except what concerns the ensemble's tensors.
void CheckStepOptions(CheckContext& context, const Place& place, int step);
void CheckTensors(CheckContext& context);
void CheckBatchTensors(CheckContext& context);  // batch_input and batch_output
void CheckInstanceGroups(CheckContext& context);
void CheckAccelerators(CheckContext& context);
void CheckScheduling(CheckContext& context);     // dynamic_batching
void CheckSequences(CheckContext& context);      // sequence_batching
void CheckInferdOptions(CheckContext& context);  // inferd { }
void CheckPadding(CheckContext& context, const Place& inferd);
void CheckDependencies(CheckContext& context, const Place& inferd);
void CheckFilenames(CheckContext& context);
// Checks that `name`, if not empty, is a path that stays inside a folder. `index` is its index in a list, or -1.
void CheckFilename(CheckContext& context, const Place& place, std::string_view field, int index,
                   const std::string& name);
void CheckWarmup(CheckContext& context);
void CheckMetrics(CheckContext& context);
void CheckAgents(CheckContext& context);  // model_repository_agents

}  // namespace inferd::config

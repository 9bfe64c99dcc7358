#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "config/model/model_config_place.h"

// The rules behind FindProblems, by part of the configuration. For this room's sources.

namespace inferd::config {

// Whether a file that is named so lies in the model's folder, as far as the name tells.
bool IsInside(const std::string& name);

struct CheckContext {
  const inference::ModelConfig& config;
  Place place;
  const std::string& model;  // what the texts call it
  std::string_view engine;   // that runs it; empty: not known
  std::vector<Problem>& problems;
  bool absent_gpus_are_cpus = false;

  // Before completion, a model that does not say may yet turn out to batch.
  bool never_batches() const { return config.has_max_batch_size() && config.max_batch_size() == 0; }
};

void CheckEnsemble(CheckContext& context);  // ensemble_scheduling, and what cannot stand beside it
// inferd { } of a step, but for what it says of the ensemble's tensors.
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
// `name`, if not empty, must be a path that stays inside a folder. `index`: in a list; -1: it is in none.
void CheckFilename(CheckContext& context, const Place& place, std::string_view field, int index,
                   const std::string& name);
void CheckWarmup(CheckContext& context);
void CheckMetrics(CheckContext& context);
void CheckAgents(CheckContext& context);  // model_repository_agents

}  // namespace inferd::config

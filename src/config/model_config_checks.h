#pragma once

#include <string>
#include <vector>

#include "config/model_config_place.h"

// The rules behind FindProblems, by part of the configuration. For this room's sources.

namespace inferd::config {

struct CheckContext {
  const inference::ModelConfig& config;
  Place place;
  const std::string& model;  // what the texts call it
  std::vector<Problem>& problems;
};

void CheckTensors(CheckContext& context);
void CheckInstanceGroups(CheckContext& context);
void CheckScheduling(CheckContext& context);
void CheckFilenames(CheckContext& context);
void CheckWarmup(CheckContext& context);
void CheckMetrics(CheckContext& context);

}  // namespace inferd::config

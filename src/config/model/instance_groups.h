#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "config/model/model_config_completion.h"
#include "config/model/model_config_message.h"

// A model's instance groups, and whether they are on GPUs. For this room's sources.

namespace inferd::config {

// Returns the engine's GPUs; none if the options do not say.
EngineGpus GpusOf(const CompletionOptions& options, std::string_view engine);

// Returns true if a group, as written, runs on GPUs. As in Triton, a group of KIND_AUTO runs on the CPU if any of its
// GPUs is missing.
bool IsOnGpus(const inference::ModelInstanceGroup& group, const EngineGpus& gpus);

// Fills in missing names, kinds, GPUs and counts of groups, and adds a group if there is none.
void FillInstanceGroups(inference::ModelConfig& config, std::string_view engine, const CompletionOptions& options);

// With CompletionOptions::absent_gpus_are_cpus: moves groups to the CPU. The document, which is shown as written, still
// has them on GPUs.
void PutOnCpu(ModelConfig& config, const CompletionOptions& options);
// Adds a line for each group of KIND_GPU that PutOnCpu() moves.
void DescribeMoved(const ModelConfig& config, const inference::ModelConfig& written, const CompletionOptions& options,
                   std::vector<std::string>& lines);

}  // namespace inferd::config

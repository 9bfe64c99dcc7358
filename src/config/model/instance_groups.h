#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "config/model/model_config_completion.h"
#include "config/model/model_config_message.h"

// Which instance groups a model has, and whether they are on GPUs. For this room's sources.

namespace inferd::config {

// What there is of the engine; nothing, where the options do not say.
EngineGpus GpusOf(const CompletionOptions& options, std::string_view engine);

// Whether a group as it is written is on GPUs. As in Triton, one of KIND_AUTO is on the CPU if a single one of its GPUs
// is not there.
bool IsOnGpus(const inference::ModelInstanceGroup& group, const EngineGpus& gpus);

// Names, kinds, GPUs and counts of groups that do not say; a group where there is none.
void FillInstanceGroups(inference::ModelConfig& config, std::string_view engine, const CompletionOptions& options);

// With CompletionOptions::absent_gpus_are_cpus: groups that are on the CPU, though the document, which is shown as it
// was written, has them on GPUs.
void PutOnCpu(ModelConfig& config, const CompletionOptions& options);
// A line for each group of KIND_GPU that PutOnCpu() moves.
void DescribeMoved(const ModelConfig& config, const inference::ModelConfig& written, const CompletionOptions& options,
                   std::vector<std::string>& lines);

}  // namespace inferd::config

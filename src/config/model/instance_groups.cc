#include "config/model/instance_groups.h"

#include <algorithm>

#include "config/own_engines.h"

namespace inferd::config {

namespace {

using Group = inference::ModelInstanceGroup;

// Returns true if the engine is known to have no GPU, so that groups of KIND_GPU would have none.
bool KnownWithoutGpus(std::string_view engine, const CompletionOptions& options) {
  if (const auto found = options.gpus.find(engine); found != options.gpus.end()) return found->second.count == 0;
  const OwnEngine* const own = FindOwnEngine(engine);
  return own != nullptr && !own->gpus;
}

// Triton's default is two for onnxruntime and tensorflow.
int CpuInstances(const inference::ModelConfig& config, const CompletionOptions& options) {
  if (!options.triton_exact || options.default_instance_count > 1) return options.default_instance_count;
  return config.backend() == "onnxruntime" || config.backend() == "tensorflow" ? 2 : 1;
}

}  // namespace

EngineGpus GpusOf(const CompletionOptions& options, std::string_view engine) {
  const auto found = options.gpus.find(engine);
  return found == options.gpus.end() ? EngineGpus{} : found->second;
}

bool IsOnGpus(const Group& group, const EngineGpus& gpus) {
  if (group.kind() != Group::KIND_AUTO) return group.kind() == Group::KIND_GPU;
  if (group.gpus().empty()) return gpus.preferred && gpus.count > 0;
  return std::ranges::all_of(group.gpus(), [&gpus](int32_t gpu) { return gpu >= 0 && gpu < gpus.count; });
}

void FillInstanceGroups(inference::ModelConfig& config, std::string_view engine, const CompletionOptions& options) {
  const EngineGpus gpus = GpusOf(options, engine);
  if (config.instance_group_size() == 0) config.add_instance_group()->set_name(config.name());
  for (int i = 0; i < config.instance_group_size(); ++i) {
    Group& group = *config.mutable_instance_group(i);
    if (group.name().empty()) group.set_name(config.name() + "_" + std::to_string(i));
    if (IsOnGpus(group, gpus)) {
      group.set_kind(Group::KIND_GPU);
      if (group.gpus().empty()) {
        for (int32_t gpu = 0; gpu < gpus.count; ++gpu) group.add_gpus(gpu);
      }
    }
    const bool shown_as_written = options.absent_gpus_are_cpus && group.gpus_size() > 0;
    if (group.kind() == Group::KIND_AUTO && !shown_as_written) {
      group.set_kind(Group::KIND_CPU);
      group.clear_gpus();
    }
    if (group.count() > 0) continue;
    group.set_count(group.kind() == Group::KIND_CPU ? CpuInstances(config, options) : 1);
  }
}

void PutOnCpu(ModelConfig& config, const CompletionOptions& options) {
  for (InstanceGroup& group : config.instance_groups) {
    const bool absent = group.kind == InstanceKind::kGpu && KnownWithoutGpus(config.engine, options);
    if (group.kind != InstanceKind::kAuto && !absent) continue;
    group.kind = InstanceKind::kCpu;
    group.gpus.clear();
  }
}

void DescribeMoved(const ModelConfig& config, const inference::ModelConfig& written, const CompletionOptions& options,
                   std::vector<std::string>& lines) {
  if (!KnownWithoutGpus(config.engine, options)) return;
  for (int i = 0; i < written.instance_group_size(); ++i) {
    if (written.instance_group(i).kind() != Group::KIND_GPU) continue;
    lines.push_back("instance_group[" + std::to_string(i) +
                    "].kind has no effect: the server has no GPUs, the group is on the CPU");
  }
}

}  // namespace inferd::config

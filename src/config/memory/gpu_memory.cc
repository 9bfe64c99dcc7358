#include "config/memory/gpu_memory.h"

#include "config/model/instances.h"
#include "config/model/model_config_message.h"

namespace inferd::config {

GpuBytes GpuMemoryOf(const ModelConfig& config, int64_t file_bytes) {
  const uint64_t said = config.document == nullptr ? 0 : config.document->message().proto.inferd().gpu_memory_bytes();
  const int64_t bytes = said > 0 ? static_cast<int64_t>(said) : file_bytes;
  GpuBytes held;
  if (bytes == 0) return held;
  for (const Instance& instance : ExpandInstances(config)) {
    if (instance.kind == InstanceKind::kGpu) held[instance.device] = bytes;
  }
  return held;
}

}  // namespace inferd::config

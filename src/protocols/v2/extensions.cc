#include "protocols/v2/extensions.h"

#include <array>

namespace inferd::v2 {

std::span<const std::string_view> Extensions(bool shared_memory) {
  static constexpr auto kExtensions = std::to_array<std::string_view>({
      "classification",
      "sequence",
      "model_repository",
      "model_repository(unload_dependents)",
      "schedule_policy",
      "model_configuration",
      "binary_tensor_data",
      "parameters",
      "statistics",
      "trace",
      "logging",
      "system_shared_memory",
  });
  return std::span(kExtensions).first(kExtensions.size() - (shared_memory ? 0 : 1));
}

std::span<const std::string_view> TritonExtensions() {
  static constexpr auto kExtensions = std::to_array<std::string_view>({
      "classification",
      "sequence",
      "model_repository",
      "model_repository(unload_dependents)",
      "schedule_policy",
      "model_configuration",
      "system_shared_memory",
      "cuda_shared_memory",
      "binary_tensor_data",
      "parameters",
      "statistics",
      "trace",
      "logging",
  });
  return kExtensions;
}

}  // namespace inferd::v2

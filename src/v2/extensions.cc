#include "v2/extensions.h"

#include <array>

namespace inferd::v2 {

std::span<const std::string_view> Extensions() {
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
      "logging",
  });
  return kExtensions;
}

}  // namespace inferd::v2

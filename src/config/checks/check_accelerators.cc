#include <algorithm>

#include "base/text/printable.h"
#include "config/accelerator_parameters.h"
#include "config/checks/checks.h"

namespace inferd::config {
namespace {

using WrittenAccelerator = inference::ModelOptimizationPolicy::ExecutionAccelerators::Accelerator;

bool HasGroupOfKindGpu(const inference::ModelConfig& config) {
  return std::ranges::any_of(config.instance_group(), [](const inference::ModelInstanceGroup& group) {
    return group.kind() == inference::ModelInstanceGroup::KIND_GPU;
  });
}

void CheckAccelerator(CheckContext& c, const Place& place, const WrittenAccelerator& accelerator) {
  const std::span<const std::string_view> parameters = AcceleratorParameters(accelerator.name());
  if (parameters.empty()) {
    c.problems.push_back(place.At("name", "unknown Execution Accelerator " + base::QuotedName(accelerator.name()) +
                                              " is requested for " + c.model + "; there are " + KnownAccelerators()));
    return;
  }
  for (const auto& [name, value] : accelerator.parameters()) {
    if (std::ranges::find(parameters, name) != parameters.end()) continue;
    c.problems.push_back(place.At("parameters", "unknown parameter " + base::QuotedName(name) +
                                                    " is provided for accelerator " +
                                                    base::QuotedName(accelerator.name()) + " of " + c.model));
  }
}

}  // namespace

// Instances on the CPU use no GPU accelerators; UnactedFields() reports them.
void CheckAccelerators(CheckContext& c) {
  if (c.engine != kAcceleratedEngine || c.absent_gpus_are_cpus || !HasGroupOfKindGpu(c.config)) return;
  const auto& accelerators = c.config.optimization().execution_accelerators().gpu_execution_accelerator();
  const Place place = c.place.In("optimization").In("execution_accelerators");
  for (int i = 0; i < accelerators.size(); ++i) {
    CheckAccelerator(c, place.In("gpu_execution_accelerator", i), accelerators[i]);
  }
}

}  // namespace inferd::config

#include "serving/enginehost/thread_budget.h"

#include <algorithm>

#include "config/model/instances.h"

namespace inferd::enginehost {

int CpuThreadShare(int budget, const config::ModelConfig& config) {
  const size_t instances = config::ExpandInstances(config).size();
  return std::max(budget / static_cast<int>(std::max<size_t>(instances, 1)), 1);
}

}  // namespace inferd::enginehost

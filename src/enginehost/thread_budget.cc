#include "enginehost/thread_budget.h"

#include <algorithm>

namespace inferd::enginehost {

int CpuThreadShare(int budget, const config::ModelConfig& config) {
  int64_t instances = 0;
  for (const auto& group : config.instance_groups) instances += std::max(group.count, 1);
  return static_cast<int>(std::max<int64_t>(budget / std::max<int64_t>(instances, 1), 1));
}

}  // namespace inferd::enginehost

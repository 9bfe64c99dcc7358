#include "core/engine.h"

#include <algorithm>

namespace inferd::core {

base::CpuCores LoadSpec::AllCores() const {
  base::CpuCores all;
  for (const base::CpuCores& cores : group_cores) {
    if (cores.empty()) return {};
    all.insert(all.end(), cores.begin(), cores.end());
  }
  std::ranges::sort(all);
  all.erase(std::ranges::unique(all).begin(), all.end());
  return all;
}

base::CpuCores LoadSpec::GroupCores(int group) const {
  const auto index = static_cast<size_t>(group);
  return index < group_cores.size() ? group_cores[index] : base::CpuCores();
}

}  // namespace inferd::core

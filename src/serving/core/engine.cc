#include "serving/core/engine.h"

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

CallOrigin Execution::Origin(uint64_t i) const {
  CallOrigin origin;
  origin.request = i;
  if (i < request_count()) {
    const InferRequest& made = request(i);
    origin.chain = made.chain;
    origin.cancel = made.cancel;
    origin.deadline_ns = made.deadline_ns;
    origin.priority = made.priority;
    origin.traceparent = made.traceparent;
    origin.trace = made.trace;
    return origin;
  }
  // Takes the deepest chain, so that the depth limit holds for every request of the execution.
  for (size_t at = 0; at < request_count(); ++at) {
    const std::shared_ptr<const CallChain>& chain = request(at).chain;
    if (chain != nullptr && (origin.chain == nullptr || chain->depth > origin.chain->depth)) origin.chain = chain;
  }
  return origin;
}

}  // namespace inferd::core

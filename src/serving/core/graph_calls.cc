#include "serving/core/graph_calls.h"

#include <string>

#include "serving/core/model_version.h"

namespace inferd::core {

GraphCalls::~GraphCalls() = default;

base::Result<std::shared_ptr<const ModelVersion>> GraphCalls::Find(const GraphCall& call) {
  base::MutexLock lock(mutex_);
  if (const auto made = made_.find(call); made != made_.end()) return made->second;
  if (made_.size() >= kCallsMax) {
    return std::unexpected(
        base::ResourceExhausted("the model was asked for " + std::to_string(kCallsMax) +
                                " different sets of its graph's tensors, which is all there may be"));
  }
  INFERD_ASSIGN_OR_RETURN(auto version, make_(call));
  return made_.emplace(call, std::move(version)).first->second;
}

}  // namespace inferd::core

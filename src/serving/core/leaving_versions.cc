#include "serving/core/leaving_versions.h"

#include <utility>

#include "serving/core/model_version.h"

namespace inferd::core {

void LeavingVersions::Add(const std::shared_ptr<const ModelVersion>& version) {
  if (!version->signature().sequences) return;
  base::MutexLock lock(mutex_);
  std::erase_if(versions_, [](const Version& each) { return each.expired(); });
  versions_.push_back(version);
  count_.store(versions_.size(), std::memory_order_release);
}

void LeavingVersions::Keep(std::shared_ptr<const ModelVersion> version, int64_t until_ns) {
  if (!version->signature().sequences) return;
  Scheduler& scheduler = version->scheduler();
  scheduler.KeepForSequences(std::move(version), until_ns);
}

void LeavingVersions::Release() {
  for (auto& version : All()) {
    Scheduler& scheduler = version->scheduler();
    scheduler.KeepForSequences(nullptr, 0);
  }
}

std::vector<std::shared_ptr<const ModelVersion>> LeavingVersions::All() {
  std::vector<std::shared_ptr<const ModelVersion>> all;
  base::MutexLock lock(mutex_);
  std::erase_if(versions_, [&all](const Version& each) {
    auto version = each.lock();
    if (version == nullptr) return true;
    all.push_back(std::move(version));
    return false;
  });
  count_.store(versions_.size(), std::memory_order_release);
  return all;
}

std::shared_ptr<const ModelVersion> LeavingVersions::Find(const ModelVersion& current, const InferRequest& request) {
  for (auto& version : All()) {
    const bool meant = request.model_version.empty() || request.model_version == version->version();
    if (!meant || version->id().name != current.id().name) continue;
    if (!version->scheduler().HasSequence(request.sequence)) continue;
    if (!request.sequence.start) return std::move(version);
    version->scheduler().EndSequence(request.sequence);
  }
  return nullptr;
}

}  // namespace inferd::core

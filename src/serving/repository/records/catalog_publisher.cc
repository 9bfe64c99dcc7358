#include "serving/repository/records/catalog_publisher.h"

#include <memory>
#include <utility>

namespace inferd::repository {

void CatalogPublisher::Remove(const std::string& name, const core::CatalogSnapshot::Model& before) {
  if (!shows_gone_) {
    published_ = published_.Without(name);
    return;
  }
  core::CatalogSnapshot::Model gone;
  for (const core::CatalogSnapshot::Version& version : before.versions) {
    core::CatalogSnapshot::Version& left = gone.versions.emplace_back();
    left.version = version.version;
    left.state = core::ModelState::kUnavailable;
  }
  published_ = published_.With(name, std::move(gone));
  gone_.push_back(name);
}

void CatalogPublisher::Publish(ModelRecords& records) {
  records.Settle();
  bool differs = false;
  for (const std::string& name : records.TakeChanged()) {
    const core::CatalogSnapshot::Model* const before = published_.Find(name);
    const ModelRecord* const record = records.Find(name);
    if (record == nullptr) {
      version_metrics_.Forget(name);
      if (before == nullptr) continue;
      Remove(name, *before);
      for (; gone_.size() > kGoneMax; gone_.pop_front()) {
        if (records.Find(gone_.front()) == nullptr) published_ = published_.Without(gone_.front());
      }
    } else {
      version_metrics_.Update(*record);
      core::CatalogSnapshot::Model now = record->Snapshot();
      // A folder that is still being written is not a model yet. For Triton's clients, neither is a model that was
      // never wanted.
      const bool is_unread = now.versions.empty() && now.reason.empty();
      if (before == nullptr && is_unread && (shows_gone_ || record->changing)) continue;
      if (before != nullptr && *before == now) continue;
      published_ = published_.With(name, std::move(now));
    }
    differs = true;
  }
  if (differs) snapshots_.Publish(std::make_shared<const core::CatalogSnapshot>(published_));
}

}  // namespace inferd::repository

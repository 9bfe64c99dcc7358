#include "repository/records/catalog_publisher.h"

#include <memory>
#include <utility>

namespace inferd::repository {

void CatalogPublisher::Publish(ModelRecords& records) {
  records.Settle();
  bool differs = false;
  for (const std::string& name : records.TakeChanged()) {
    const core::CatalogSnapshot::Model* const before = published_.Find(name);
    const ModelRecord* const record = records.Find(name);
    if (record == nullptr) {
      version_metrics_.Forget(name);
      if (before == nullptr) continue;
      published_ = published_.Without(name);
    } else {
      version_metrics_.Update(*record);
      core::CatalogSnapshot::Model now = record->Snapshot();
      if (before != nullptr && *before == now) continue;
      published_ = published_.With(name, std::move(now));
    }
    differs = true;
  }
  if (differs) snapshots_.Publish(std::make_shared<const core::CatalogSnapshot>(published_));
}

}  // namespace inferd::repository

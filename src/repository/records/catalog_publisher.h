#pragma once

#include "core/catalog_snapshot.h"
#include "core/snapshot_publisher.h"
#include "repository/records/model_records.h"
#include "repository/records/version_metrics.h"

namespace inferd::repository {

// Shows the records to requests, as snapshots, and to the metrics. Not thread-safe: guarded by the manager's lock. Both
// that it shows them to outlive it.
class CatalogPublisher final {
 public:
  CatalogPublisher(core::SnapshotPublisher& snapshots, metrics::Registry& registry)
      : snapshots_(snapshots), version_metrics_(registry) {}

  // Takes in what changed since the last call, at the cost of that; there is no new snapshot when nothing differs.
  void Publish(ModelRecords& records);

 private:
  core::SnapshotPublisher& snapshots_;
  VersionMetrics version_metrics_;
  core::CatalogSnapshot::Models published_;
};

}  // namespace inferd::repository

#pragma once

#include <cstddef>
#include <deque>
#include <string>

#include "serving/core/catalog_snapshot.h"
#include "serving/core/snapshot_publisher.h"
#include "serving/repository/records/model_records.h"
#include "serving/repository/records/version_metrics.h"

namespace inferd::repository {

// Shows the records to requests, as snapshots, and to the metrics. Not thread-safe: guarded by the manager's lock. Both
// that it shows them to outlive it.
class CatalogPublisher final {
 public:
  static constexpr size_t kGoneMax = 256;

  // `shows_gone`: as Triton, models that are not there any more have versions that are not ready, and no others, the
  // last kGoneMax of them; and those that were never to be loaded are not shown. A new model whose folder is still
  // being written is not shown in any case.
  CatalogPublisher(core::SnapshotPublisher& snapshots, metrics::Registry& registry, bool shows_gone = false)
      : snapshots_(snapshots), version_metrics_(registry), shows_gone_(shows_gone) {}

  // Takes in what changed since the last call, at the cost of that; there is no new snapshot when nothing differs.
  void Publish(ModelRecords& records);

 private:
  void Remove(const std::string& name, const core::CatalogSnapshot::Model& before);

  core::SnapshotPublisher& snapshots_;
  VersionMetrics version_metrics_;
  core::CatalogSnapshot::Models published_;
  const bool shows_gone_;
  std::deque<std::string> gone_;  // in the order in which they went; those that came back may still be in here
};

}  // namespace inferd::repository

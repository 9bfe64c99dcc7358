#pragma once

#include <cstddef>
#include <deque>
#include <string>

#include "serving/core/catalog_snapshot.h"
#include "serving/core/snapshot_publisher.h"
#include "serving/repository/records/model_records.h"
#include "serving/repository/records/version_metrics.h"

namespace inferd::repository {

// Publishes the records to requests, as snapshots, and to the metrics. Not thread-safe: guarded by the manager's lock.
// Publisher and registry must outlive the object.
class CatalogPublisher final {
 public:
  static constexpr size_t kGoneMax = 256;

  // `shows_gone`: behave like Triton. The last kGoneMax models that are gone still show their versions, as not ready.
  // Models that never were to be loaded are not shown. In either mode, a new model is not shown while its folder is
  // being written.
  CatalogPublisher(core::SnapshotPublisher& snapshots, metrics::Registry& registry, bool shows_gone = false)
      : snapshots_(snapshots), version_metrics_(registry), shows_gone_(shows_gone) {}

  // Publishes a new snapshot if something differs from the last one. Its cost grows with the number of changed records.
  void Publish(ModelRecords& records);

 private:
  void Remove(const std::string& name, const core::CatalogSnapshot::Model& before);

  core::SnapshotPublisher& snapshots_;
  VersionMetrics version_metrics_;
  core::CatalogSnapshot::Models published_;
  const bool shows_gone_;
  std::deque<std::string> gone_;  // in the order of removal; may still hold models that are back
};

}  // namespace inferd::repository

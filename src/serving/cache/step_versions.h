#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/mutex.h"
#include "config/ensemble.h"
#include "serving/core/catalog_snapshot.h"
#include "serving/core/snapshot_publisher.h"

namespace inferd::cache {

// Which loads of which versions an ensemble's steps have answer at present, as a text: what the ensemble answers may be
// another thing when it has changed. Thread-safe.
class StepVersions final {
 public:
  // The publisher outlives this.
  StepVersions(std::vector<config::EnsembleStep> steps, const core::SnapshotPublisher& snapshots)
      : steps_(std::move(steps)), snapshots_(snapshots) {}

  // Empty, but not null, of a model without steps. Null: one of them is not loaded, so that it cannot be said.
  std::shared_ptr<const std::string> Get();

 private:
  const std::vector<config::EnsembleStep> steps_;
  const core::SnapshotPublisher& snapshots_;
  base::Mutex mutex_;
  std::shared_ptr<const core::CatalogSnapshot> seen_ GUARDED_BY(mutex_);
  std::shared_ptr<const std::string> text_ GUARDED_BY(mutex_) = std::make_shared<const std::string>();
};

}  // namespace inferd::cache

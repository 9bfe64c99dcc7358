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

// The loads that presently answer an ensemble's steps, as a text. When it changes, the ensemble's responses may change.
// Thread-safe.
class StepVersions final {
 public:
  // The publisher outlives this object.
  StepVersions(std::vector<config::EnsembleStep> steps, const core::SnapshotPublisher& snapshots)
      : steps_(std::move(steps)), snapshots_(snapshots) {}

  // Returns the text. It is empty, but not null, for a model without steps. Null if a step's version is not loaded, so
  // that the text is unknown.
  std::shared_ptr<const std::string> Get();

 private:
  const std::vector<config::EnsembleStep> steps_;
  const core::SnapshotPublisher& snapshots_;
  base::Mutex mutex_;
  std::shared_ptr<const core::CatalogSnapshot> seen_ GUARDED_BY(mutex_);
  std::shared_ptr<const std::string> text_ GUARDED_BY(mutex_) = std::make_shared<const std::string>();
};

}  // namespace inferd::cache

#pragma once

#include <atomic>
#include <cstdint>
#include <memory>

#include "base/mutex.h"
#include "serving/core/catalog_snapshot.h"
#include "serving/core/leaving_versions.h"

namespace inferd::core {

// Hands the catalog's latest snapshot to every loop. Thread-safe. Once Publish() has returned, every reader's next
// Get() sees that snapshot or a later one. docs/design/2026-11-21-catalog-snapshots.md explains the design.
class SnapshotPublisher final {
 public:
  void Publish(std::shared_ptr<const CatalogSnapshot> snapshot);
  std::shared_ptr<const CatalogSnapshot> Current() const;

  // Returns the versions that are in no snapshot any more and still have sequences.
  LeavingVersions& leaving() { return leaving_; }

 private:
  friend class SnapshotReader;

  mutable base::Mutex mutex_;
  std::shared_ptr<const CatalogSnapshot> snapshot_ GUARDED_BY(mutex_) = std::make_shared<CatalogSnapshot>();
  LeavingVersions leaving_;
  alignas(64) std::atomic<uint64_t> generation_{1};  // written once per change, read once per request
};

// One loop's view of the publisher, which outlives it. Loop-bound. Takes the publisher's lock only after a change.
class SnapshotReader final {
 public:
  explicit SnapshotReader(const SnapshotPublisher& publisher) : publisher_(publisher) {}

  // Valid until the next Get().
  const CatalogSnapshot& Get() {
    if (publisher_.generation_.load(std::memory_order_acquire) != generation_) Refresh();
    return *snapshot_;
  }

 private:
  void Refresh();

  const SnapshotPublisher& publisher_;
  uint64_t generation_ = 0;
  std::shared_ptr<const CatalogSnapshot> snapshot_;
};

}  // namespace inferd::core

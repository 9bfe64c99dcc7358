#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <utility>

#include "base/mutex.h"
#include "core/catalog_snapshot.h"

namespace inferd::core {

// Hands the catalog's latest snapshot to every loop. Thread-safe. Once Publish() has returned, every reader's next
// Get() sees that snapshot or a later one. docs/design/2026-11-21-catalog-snapshots.md says why it is built so.
class SnapshotPublisher final {
 public:
  void Publish(std::shared_ptr<const CatalogSnapshot> snapshot);
  // `changed` is called after every Publish, on its thread: to have readers Refresh() on their loops. A loop without
  // requests would else pin the versions of its last snapshot for ever. Set before the first Publish.
  void OnPublish(std::function<void()> changed) { changed_ = std::move(changed); }
  std::shared_ptr<const CatalogSnapshot> Current() const;

 private:
  friend class SnapshotReader;

  mutable base::Mutex mutex_;
  std::shared_ptr<const CatalogSnapshot> snapshot_ GUARDED_BY(mutex_) = std::make_shared<CatalogSnapshot>();
  std::function<void()> changed_;
  alignas(64) std::atomic<uint64_t> generation_{1};  // written once per change, read once per request
};

// One loop's view of the publisher, which outlives it. Loop-bound. Takes the publisher's lock only after a change.
class SnapshotReader final {
 public:
  explicit SnapshotReader(const SnapshotPublisher& publisher) : publisher_(publisher) {}

  // Valid until the next Get().
  const CatalogSnapshot& Get() {
    Refresh();
    return *snapshot_;
  }

  // Takes the latest snapshot and lets go of the one before, if there is a later one.
  void Refresh() {
    if (publisher_.generation_.load(std::memory_order_acquire) != generation_) Replace();
  }

 private:
  void Replace();

  const SnapshotPublisher& publisher_;
  uint64_t generation_ = 0;
  std::shared_ptr<const CatalogSnapshot> snapshot_;
};

}  // namespace inferd::core

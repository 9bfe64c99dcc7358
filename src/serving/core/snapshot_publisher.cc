#include "serving/core/snapshot_publisher.h"

namespace inferd::core {

void SnapshotPublisher::Publish(std::shared_ptr<const CatalogSnapshot> snapshot) {
  std::shared_ptr<const CatalogSnapshot> old;  // freed outside the lock
  base::MutexLock lock(mutex_);
  old = std::move(snapshot_);
  snapshot_ = std::move(snapshot);
  generation_.fetch_add(1, std::memory_order_release);
  lock.unlock();
}

std::shared_ptr<const CatalogSnapshot> SnapshotPublisher::Current() const {
  base::MutexLock lock(mutex_);
  return snapshot_;
}

void SnapshotReader::Refresh() {
  std::shared_ptr<const CatalogSnapshot> old = std::move(snapshot_);
  base::MutexLock lock(publisher_.mutex_);
  snapshot_ = publisher_.snapshot_;
  generation_ = publisher_.generation_.load(std::memory_order_relaxed);
}

}  // namespace inferd::core

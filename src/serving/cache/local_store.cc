#include "serving/cache/local_store.h"

#include <utility>

namespace inferd::cache {

LocalStore::~LocalStore() {
  base::MutexLock lock(mutex_);
  by_use_.clear();
}

void LocalStore::Drop(Entries::iterator entry, Dropped& dropped) {
  bytes_ -= entry->second.bytes;
  by_use_.erase(by_use_.iterator_to(entry->second));
  dropped.push_back(entries_.extract(entry));
}

std::shared_ptr<const CachedResponse> LocalStore::Find(const RequestKey& key) {
  const int64_t now_ns = options_.ttl_ns == 0 ? 0 : clock_.NowNs();
  Dropped dropped;
  std::shared_ptr<const StoredKey> stored;
  std::shared_ptr<const CachedResponse> response;
  {
    base::MutexLock lock(mutex_);
    const auto found = entries_.find(key.hash());
    if (found == entries_.end()) return nullptr;
    Entry& entry = found->second;
    if (entry.expires_ns != 0 && entry.expires_ns <= now_ns) {
      Drop(found, dropped);
    } else {
      by_use_.splice(by_use_.end(), by_use_, by_use_.iterator_to(entry));
      stored = entry.key;
      response = entry.response;
    }
  }
  if (stored == nullptr || !stored->Equals(key)) return nullptr;
  return response;
}

bool LocalStore::Insert(std::shared_ptr<const StoredKey> key, std::shared_ptr<const CachedResponse> response) {
  const size_t bytes = key->bytes() + response->bytes() + kEntryBytes;
  if (bytes > options_.bytes_max) return false;
  const int64_t expires_ns = options_.ttl_ns == 0 ? 0 : clock_.NowNs() + options_.ttl_ns;
  Dropped dropped;
  base::MutexLock lock(mutex_);
  if (const auto present = entries_.find(key->hash()); present != entries_.end()) Drop(present, dropped);
  while (bytes_ + bytes > options_.bytes_max) {
    ++evictions_;
    Drop(entries_.find(by_use_.front().key->hash()), dropped);
  }
  Entry& entry = entries_[key->hash()];
  entry.key = std::move(key);
  entry.response = std::move(response);
  entry.bytes = bytes;
  entry.expires_ns = expires_ns;
  bytes_ += bytes;
  by_use_.push_back(entry);
  return true;
}

LocalStore::Figures LocalStore::figures() const {
  base::MutexLock lock(mutex_);
  return {.bytes = bytes_, .entries = entries_.size(), .evictions = evictions_};
}

}  // namespace inferd::cache

#pragma once

#include <boost/intrusive/list.hpp>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include "base/clock.h"
#include "base/mutex.h"
#include "serving/cache/cache_store.h"

namespace inferd::cache {

// A store of responses in this process's memory. Drops the least recently used ones if the bytes exceed the limit, and
// each response when its TTL is over. Has one lock, so that the order of use and the bytes hold for the whole store.
// The lock is held for a table lookup, and never while bytes are compared, copied or freed: two threads that only look
// up the same response cost each other 0.2 us (local_store_bench.cc).
class LocalStore final : public CacheStore {
 public:
  struct Options {
    size_t bytes_max = 0;  // of keys, responses and their overhead
    int64_t ttl_ns = 0;    // 0 means as long as there is room
  };
  // The clock outlives this object.
  LocalStore(const Options& options, const base::Clock& clock) : options_(options), clock_(clock) {}
  ~LocalStore() override;

  std::shared_ptr<const CachedResponse> Find(const RequestKey& key) override;
  bool Keeps(size_t key_bytes) const override { return key_bytes + kEntryBytes <= options_.bytes_max; }
  bool Insert(std::shared_ptr<const StoredKey> key, std::shared_ptr<const CachedResponse> response) override;

  struct Figures {
    size_t bytes = 0;
    size_t entries = 0;
    uint64_t evictions = 0;  // to make room
  };
  Figures figures() const;
  size_t bytes_max() const { return options_.bytes_max; }

  // The overhead of an entry, besides its key and response: its node, its place in the table, two reference counts, and
  // malloc's overhead for each block.
  static constexpr size_t kEntryBytes = 208;

 private:
  struct Entry : boost::intrusive::list_base_hook<> {
    std::shared_ptr<const StoredKey> key;
    std::shared_ptr<const CachedResponse> response;
    size_t bytes = 0;
    int64_t expires_ns = 0;  // 0 if never
  };
  using Entries = std::unordered_map<KeyHash, Entry, KeyHashHasher>;
  // Entries to free once the lock is released.
  using Dropped = std::vector<Entries::node_type>;

  void Drop(Entries::iterator entry, Dropped& dropped) REQUIRES(mutex_);

  const Options options_;
  const base::Clock& clock_;
  mutable base::Mutex mutex_;
  Entries entries_ GUARDED_BY(mutex_);
  boost::intrusive::list<Entry> by_use_ GUARDED_BY(mutex_);  // the least recently used first
  size_t bytes_ GUARDED_BY(mutex_) = 0;
  uint64_t evictions_ GUARDED_BY(mutex_) = 0;
};

}  // namespace inferd::cache

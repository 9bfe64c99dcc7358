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

// Responses in this process's memory: the least recently used go first when there are more bytes than there may be,
// and each when its time is over. One lock, so that the order of use and the bytes are those of the whole. It is held
// for a look into a table and never while bytes are compared, copied or freed: two threads that do nothing but look the
// same response up lose 0.2 us each to the other (local_store_bench.cc).
class LocalStore final : public CacheStore {
 public:
  struct Options {
    size_t bytes_max = 0;  // of keys, responses and what it takes to keep them
    int64_t ttl_ns = 0;    // 0: for as long as there is room
  };
  // The clock outlives this.
  LocalStore(const Options& options, const base::Clock& clock) : options_(options), clock_(clock) {}
  ~LocalStore() override;

  std::shared_ptr<const CachedResponse> Find(const RequestKey& key) override;
  bool Keeps(size_t key_bytes) const override { return key_bytes + kEntryBytes <= options_.bytes_max; }
  void Insert(std::shared_ptr<const StoredKey> key, std::shared_ptr<const CachedResponse> response) override;

  struct Figures {
    size_t bytes = 0;
    size_t entries = 0;
    uint64_t evictions = 0;  // for want of room
  };
  Figures figures() const;
  size_t bytes_max() const { return options_.bytes_max; }

  // What an entry takes beside its key and response: its node, its place in the table, two reference counts, and what
  // malloc adds to each block.
  static constexpr size_t kEntryBytes = 208;

 private:
  struct Entry : boost::intrusive::list_base_hook<> {
    std::shared_ptr<const StoredKey> key;
    std::shared_ptr<const CachedResponse> response;
    size_t bytes = 0;
    int64_t expires_ns = 0;  // 0: never
  };
  using Entries = std::unordered_map<KeyHash, Entry, KeyHashHasher>;
  // What is to be freed once the lock is released.
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

#pragma once

#include <cstddef>
#include <functional>
#include <memory>

#include "serving/cache/cached_response.h"
#include "serving/cache/request_key.h"

namespace inferd::cache {

// Where responses are kept, and found by the key of their request. Thread-safe; outlives every scheduler. What it gives
// was inserted under an equal key, by comparison of the whole key. It may forget anything at any time.
class CacheStore {
 public:
  virtual ~CacheStore() = default;

  // What is at hand. Null: nothing; it may still be worth to Fetch(). Does not block.
  virtual std::shared_ptr<const CachedResponse> Find(const RequestKey& key) = 0;

  // Whether there is more than Find() finds, elsewhere.
  virtual bool fetches() const { return false; }
  // Looks elsewhere. `done` is called once, with null if there is nothing or it takes too long; on any thread, perhaps
  // before this returns.
  using Fetched = std::move_only_function<void(std::shared_ptr<const CachedResponse>)>;
  virtual void Fetch(std::shared_ptr<const StoredKey> /*key*/, Fetched done) { done(nullptr); }

  // Whether a response to a request with a key of so many bytes could be kept at all.
  virtual bool Keeps(size_t key_bytes) const = 0;
  // Does not block: what cannot be kept at once is dropped.
  virtual void Insert(std::shared_ptr<const StoredKey> key, std::shared_ptr<const CachedResponse> response) = 0;
};

}  // namespace inferd::cache

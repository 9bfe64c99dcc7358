#pragma once

#include <cstddef>
#include <functional>
#include <memory>

#include "serving/cache/cached_response.h"
#include "serving/cache/request_key.h"

namespace inferd::cache {

// A store of responses, by the key of their request. Thread-safe; outlives every scheduler. A response that it returns
// was inserted under an equal key, compared as a whole. It may drop any entry at any time.
class CacheStore {
 public:
  virtual ~CacheStore() = default;

  // Returns a response that is at hand. Null if there is none; Fetch() may still find one. Does not block.
  virtual std::shared_ptr<const CachedResponse> Find(const RequestKey& key) = 0;

  // Returns true if Fetch() can find entries that Find() does not.
  virtual bool fetches() const { return false; }
  // Looks elsewhere for a response. `done` is called once, on any thread, perhaps before this returns, with null if
  // there is none or the lookup takes too long.
  using Fetched = std::move_only_function<void(std::shared_ptr<const CachedResponse>)>;
  virtual void Fetch(std::shared_ptr<const StoredKey> /*key*/, Fetched done) { done(nullptr); }

  // Returns true if the response to a request with a key of this many bytes could be stored at all.
  virtual bool Keeps(size_t key_bytes) const = 0;
  // Keeps the response. Returns false if it is too large to be kept, with its key, whatever else is there. Does not
  // block: what cannot be kept at once is dropped.
  virtual bool Insert(std::shared_ptr<const StoredKey> key, std::shared_ptr<const CachedResponse> response) = 0;
};

}  // namespace inferd::cache

#pragma once

#include <chrono>
#include <memory>
#include <string>

#include "base/executor.h"
#include "cache/cache_store.h"
#include "cache/redis_link.h"

namespace inferd::cache {

// Responses in a Redis, which bounds and forgets them as it is told. Entries have the whole key in them, and are held
// against it: a Redis that others write to gives no wrong answer by accident.
class RedisStore final : public CacheStore {
 public:
  // The longest that an entry may be.
  static constexpr size_t kEntryBytesMax = size_t{8} << 20;

  // `executor` goes on with requests whose responses were looked for. It and the logger outlive this.
  RedisStore(RedisLink::Options options, std::chrono::milliseconds ttl, base::Executor& executor, base::Logger& logger)
      : ttl_(ttl), executor_(executor), link_(std::move(options), logger) {}

  std::shared_ptr<const CachedResponse> Find(const RequestKey&) override { return nullptr; }
  bool fetches() const override { return link_.up(); }
  void Fetch(std::shared_ptr<const StoredKey> key, Fetched done) override;
  bool Keeps(size_t key_bytes) const override { return key_bytes <= kEntryBytesMax; }
  void Insert(std::shared_ptr<const StoredKey> key, std::shared_ptr<const CachedResponse> response) override;

  const RedisLink& link() const { return link_; }

 private:
  const std::chrono::milliseconds ttl_;
  base::Executor& executor_;
  RedisLink link_;
};

}  // namespace inferd::cache

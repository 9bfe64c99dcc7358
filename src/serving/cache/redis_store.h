#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/executor.h"
#include "serving/cache/cache_store.h"
#include "serving/cache/redis_link.h"

namespace inferd::cache {

// A store of responses in a Redis, whose configuration sets its size and eviction. Each entry contains the whole key,
// which is compared, and a checksum. So a Redis with other writers or faulty memory never causes a wrong response by
// accident.
class RedisStore final : public CacheStore {
 public:
  // The maximum bytes of key and response together.
  static constexpr size_t kEntryBytesMax = size_t{8} << 20;

  // `executor` continues with the requests after a lookup. It and the logger outlive this object.
  RedisStore(RedisLink::Options options, std::chrono::milliseconds ttl, base::Executor& executor, base::Logger& logger)
      : ttl_(ttl), executor_(executor), link_(WithLimit(std::move(options)), logger) {}

  std::shared_ptr<const CachedResponse> Find(const RequestKey&) override { return nullptr; }
  bool fetches() const override { return link_.up(); }
  void Fetch(std::shared_ptr<const StoredKey> key, Fetched done) override;
  bool Keeps(size_t key_bytes) const override { return key_bytes <= kEntryBytesMax; }
  bool Insert(std::shared_ptr<const StoredKey> key, std::shared_ptr<const CachedResponse> response) override;

  const RedisLink& link() const { return link_; }
  // Returns the number of entries that were damaged.
  uint64_t damaged() const { return damaged_.load(std::memory_order_relaxed); }

 private:
  // The rest of an entry, such as names and shapes, is limited to the same number of bytes again.
  static RedisLink::Options WithLimit(RedisLink::Options options) {
    options.value_bytes_max = 2 * kEntryBytesMax;
    return options;
  }
  std::shared_ptr<const CachedResponse> Decode(std::optional<std::string_view> sealed, const StoredKey& key);

  const std::chrono::milliseconds ttl_;
  base::Executor& executor_;
  std::atomic<uint64_t> damaged_{0};
  RedisLink link_;
};

}  // namespace inferd::cache

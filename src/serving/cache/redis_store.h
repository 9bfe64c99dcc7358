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

// Responses in a Redis, which bounds and forgets them as it is told. Entries have the whole key in them, and are held
// against it, and a checksum: a Redis that others write to, or whose memory fails, gives no wrong answer by accident.
class RedisStore final : public CacheStore {
 public:
  // The longest that key and response may be together.
  static constexpr size_t kEntryBytesMax = size_t{8} << 20;

  // `executor` goes on with requests whose responses were looked for. It and the logger outlive this.
  RedisStore(RedisLink::Options options, std::chrono::milliseconds ttl, base::Executor& executor, base::Logger& logger)
      : ttl_(ttl), executor_(executor), link_(WithLimit(std::move(options)), logger) {}

  std::shared_ptr<const CachedResponse> Find(const RequestKey&) override { return nullptr; }
  bool fetches() const override { return link_.up(); }
  void Fetch(std::shared_ptr<const StoredKey> key, Fetched done) override;
  bool Keeps(size_t key_bytes) const override { return key_bytes <= kEntryBytesMax; }
  void Insert(std::shared_ptr<const StoredKey> key, std::shared_ptr<const CachedResponse> response) override;

  const RedisLink& link() const { return link_; }
  // Entries that were not as they had been written.
  uint64_t damaged() const { return damaged_.load(std::memory_order_relaxed); }

 private:
  // What is in an entry besides, as names and shapes, is bounded by the same number once more.
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

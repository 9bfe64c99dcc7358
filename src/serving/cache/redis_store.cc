#include "serving/cache/redis_store.h"

#include <new>
#include <utility>

#include "base/text/hex.h"
#include "serving/cache/entry_codec.h"
#include "serving/cache/entry_seal.h"

namespace inferd::cache {

namespace {

std::string NameOf(const KeyHash& hash) {
  std::string name = "inferd:";
  for (const uint64_t part : {hash.high, hash.low}) base::AppendHex(name, part, 16);
  return name;
}

}  // namespace

std::shared_ptr<const CachedResponse> RedisStore::Decode(std::optional<std::string_view> sealed, const StoredKey& key) {
  if (!sealed.has_value()) return nullptr;
  const std::optional<std::string_view> entry = Unseal(*sealed);
  if (!entry.has_value()) {
    damaged_.fetch_add(1, std::memory_order_relaxed);
    return nullptr;
  }
  try {
    return DecodeEntry(*entry, key);
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
}

void RedisStore::Fetch(std::shared_ptr<const StoredKey> key, Fetched done) {
  std::string name = NameOf(key->hash());
  link_.Get(std::move(name), [this, key = std::move(key),
                              done = std::move(done)](std::optional<std::string_view> entry) mutable {
    std::shared_ptr<const CachedResponse> response = Decode(entry, *key);
    // The link's thread must stay free for other lookups.
    executor_.Post([done = std::move(done), response = std::move(response)]() mutable { done(std::move(response)); });
  });
}

bool RedisStore::Insert(std::shared_ptr<const StoredKey> key, std::shared_ptr<const CachedResponse> response) {
  if (key->bytes() + response->bytes() > kEntryBytesMax) return false;
  if (!link_.up()) return true;
  std::string entry = EncodeEntry(*key, *response);
  Seal(entry);
  link_.Set(NameOf(key->hash()), std::move(entry), ttl_);
  return true;
}

}  // namespace inferd::cache
